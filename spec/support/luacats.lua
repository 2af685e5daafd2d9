-- Reads LuaCATS annotations as an editor does, as far as luaflow writes them: classes with their fields and bases, aliases, and the
-- signatures of functions. What would complete somewhere is answered from that.
local luacats = {}

local Index = {}
Index.__index = Index

-- The parts of a union, or of a comma-separated list, at the outermost level.
local function split(text, separator)
  local parts, depth, from = {}, 0, 1
  for i = 1, #text do
    local char = text:sub(i, i)
    if char:find "[(<%[{]" then depth = depth + 1 end
    if char:find "[)>%]}]" then depth = depth - 1 end
    if char == separator and depth == 0 then
      parts[#parts + 1], from = text:sub(from, i - 1):match "^%s*(.-)%s*$", i + 1
    end
  end
  parts[#parts + 1] = text:sub(from):match "^%s*(.-)%s*$"
  return parts
end

-- The type at the beginning of a text, which a comment may follow.
local function leading_type(text)
  local depth = 0
  for i = 1, #text do
    local char = text:sub(i, i)
    if char:find "[(<%[{]" then depth = depth + 1 end
    if char:find "[)>%]}]" then depth = depth - 1 end
    if char == " " and depth == 0 and not text:sub(1, i - 1):find "[,:|]$" then return text:sub(1, i - 1) end
  end
  return text
end

function Index:add_class(text)
  local name, generics, rest = text:gsub("^%(exact%) ", ""):match "^([%w_.]+)(%b<>)(.*)$"
  if not name then name, rest = text:gsub("^%(exact%) ", ""):match "^([%w_.]+)(.*)$" end
  local class = self.classes[name] or { name = name, fields = {}, order = {}, bases = {}, generics = generics }
  self.classes[name] = class
  local bases = rest:match "^:%s*(.*)$"
  if bases then class.bases = split(leading_type(bases), ",") end
  return class
end

local function add_field(class, text)
  local key, optional, rest = text:match "^([%w_]+)(%??)%s+(.*)$"
  if not key then key, optional, rest = text:match '^%["([^"]*)"%](%??)%s+(.*)$' end
  assert(key, "no field: " .. text)
  if not class.fields[key] then class.order[#class.order + 1] = key end
  class.fields[key] = { type = leading_type(rest), optional = optional == "?" }
end

-- Reads one more text.
function Index:read(text)
  local class, alias, overloads, bound = nil, nil, {}, nil
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local tag, rest = line:match "^%s*%-%-%-%s*@(%w+)%s*(.*)$"
    if tag == "class" then class = self:add_class(rest) end
    if tag == "field" then add_field(class, rest) end
    if tag == "alias" then
      local name, of = rest:match "^([%w_.]+)%s*(.*)$"
      alias, self.aliases[name] = name, of ~= "" and { of } or {}
    end
    if line:find "^%-%-%-| " then table.insert(self.aliases[alias], line:match "^%-%-%-| (.*)$") end
    if tag == "overload" then overloads[#overloads + 1] = rest end
    local variable = line:match "^local ([%w_]+) ="
    if variable and class then bound = { [variable] = class.name } end
    local owner, name = line:match "^function ([%w_]+)[.:]([%w_]+)"
    if owner and bound and bound[owner] then
      self.functions[bound[owner] .. "." .. name], overloads = overloads, {}
    end
    if not line:find "^%s*%-%-%-" then class = nil end
    if line:find "^function" then overloads = {} end
  end
end

-- The class without what stands in <>.
function Index:class(name)
  return self.classes[(name:gsub("%b<>$", ""))]
end

--- The fields of a class, those of its bases first: "name" or "name?".
function Index:fields(name)
  local class, found, known = assert(self:class(name), "no class " .. name), {}, {}
  local function add(of)
    for _, base in ipairs(of.bases) do
      if self:class(base) then add(self:class(base)) end
    end
    for _, key in ipairs(of.order) do
      if not known[key] then
        known[key], found[#found + 1] = true, key .. (of.fields[key].optional and "?" or "")
      end
    end
  end
  add(class)
  return found
end

--- The type of a field, one of a base too.
function Index:field(name, key)
  local class = assert(self:class(name), "no class " .. name)
  if class.fields[key] then return class.fields[key].type end
  for _, base in ipairs(class.bases) do
    local type = self:class(base) and self:field(base, key)
    if type then return type end
  end
end

--- The literals that complete where a value of the type is written.
function Index:literals(type)
  local found = {}
  type = type:gsub("%[%]$", ""):gsub("^%((.*)%)$", "%1")
  for _, part in ipairs(split(type, "|")) do
    if part:find '^"' then
      found[#found + 1] = part:sub(2, -2)
    elseif self.aliases[part] then
      for _, of in ipairs(self.aliases[part]) do
        for _, literal in ipairs(self:literals(of)) do found[#found + 1] = literal end
      end
    end
  end
  return found
end

--- The parameters' types and the result of each overload: { { "A", "B", returns = "C" } }.
function Index:signatures(name)
  local found = {}
  for i, text in ipairs(self.functions[name] or {}) do
    local parameters, returns = text:match "^fun(%b())%s*:%s*(.*)$"
    found[i] = { returns = returns }
    for _, parameter in ipairs(split(parameters:sub(2, -2), ",")) do
      table.insert(found[i], parameter:match "^[%w_]+%??:%s*(.*)$")
    end
  end
  return found
end

-- The names that a type is made of.
local function names_in(type, found)
  for name in type:gsub('"[^"]*"', ""):gsub("[%w_]+%??:", ""):gmatch "[%a_][%w_.]*" do found[#found + 1] = name end
end

local BUILT_IN = {}
for name in ("any boolean integer number string table nil function fun lightuserdata self true false"):gmatch "%a+" do
  BUILT_IN[name] = true
end

--- Names of types that nothing declares, sorted.
function Index:undeclared()
  local used, missing, known = {}, {}, {}
  for _, class in pairs(self.classes) do
    local own = class.generics or ""
    for _, base in ipairs(class.bases) do names_in(base, used) end
    for _, field in pairs(class.fields) do
      if not own:find("<" .. field.type .. ">", 1, true) then names_in(field.type, used) end
    end
  end
  for _, alias in pairs(self.aliases) do
    for _, of in ipairs(alias) do names_in(of, used) end
  end
  for name in pairs(self.functions) do
    for _, signature in ipairs(self:signatures(name)) do
      for _, type in ipairs(signature) do names_in(type, used) end
      names_in(signature.returns, used)
    end
  end
  for _, name in ipairs(used) do
    if not (BUILT_IN[name] or self.classes[name] or self.aliases[name] or known[name]) then
      known[name], missing[#missing + 1] = true, name
    end
  end
  table.sort(missing)
  return missing
end

--- Reads texts.
---@param ... string
function luacats.index(...)
  local index = setmetatable({ classes = {}, aliases = {}, functions = {} }, Index)
  for _, text in ipairs { ... } do index:read(text) end
  return index
end

return luacats
