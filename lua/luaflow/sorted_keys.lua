--- The keys of a table in an order that does not change from run to run: by their text.
---@param t table
---@return any[]
return function(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  return keys
end
