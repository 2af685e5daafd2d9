-- Audits the Debian packages of this machine: which are installed, how large each is, and where the space goes.
-- Input: null, or { "path": ... } of another dpkg status file. Sizes are in KiB, as dpkg counts them.
local luaflow = require "luaflow"

local STATUS_FILE = "/var/lib/dpkg/status"
local LARGEST = 10

-- The paragraphs of a dpkg status file, each as a table of its one-line fields.
local function paragraphs(file)
  return function()
    local fields
    for line in file:lines() do
      if line == "" and fields then return fields end
      local name, value = line:match "^([^%s:]+):%s*(.*)$"
      if name then
        fields = fields or {}
        fields[name] = value
      end
    end
    return fields
  end
end

-- The third word of a status such as "install ok installed".
local function is_installed(fields)
  return fields.Status and fields.Status:match "^%S+ %S+ (%S+)$" == "installed"
end

-- Debian's archive area and section: "net" is in main, "contrib/net" is not.
local function split_section(section)
  local area, rest = section:match "^(.-)/(.+)$"
  return area or "main", rest or section
end

local SIZE_CLASSES = { { "tiny", 100 }, { "small", 1024 }, { "medium", 10 * 1024 }, { "large", 100 * 1024 } }

local function size_class(kib)
  for _, class in ipairs(SIZE_CLASSES) do
    if kib < class[2] then return class[1] end
  end
  return "huge"
end

local function sum_by(packages, field)
  local sums, by_name = luaflow.array(), {}
  for _, package in ipairs(packages) do
    local sum = by_name[package[field]]
    if not sum then
      sum = { [field] = package[field], packages = 0, installed_size = 0 }
      by_name[package[field]] = sum
      sums[#sums + 1] = sum
    end
    sum.packages = sum.packages + 1
    sum.installed_size = sum.installed_size + package.installed_size
  end
  return sums
end

-- Largest first; equal sizes by name, so that two audits of one machine are equal.
local function sort_by_size(list, name)
  table.sort(list, function(a, b)
    if a.installed_size ~= b.installed_size then return a.installed_size > b.installed_size end
    return a[name] < b[name]
  end)
  return list
end

return luaflow.flow { slug = "package_audit", timeout = 60 }
  :array({ slug = "list" }, function(input, ctx)
    local path = not luaflow.is_null(input) and input.path or STATUS_FILE
    local file, reason = io.open(path)
    if not file then luaflow.fail("cannot read the package database: " .. reason) end
    local packages = luaflow.array()
    for fields in paragraphs(file) do
      if is_installed(fields) then
        packages[#packages + 1] = {
          name = fields.Package,
          architecture = fields.Architecture,
          section = fields.Section or "unknown",
          installed_size = tonumber(fields["Installed-Size"]) or 0,
        }
      end
    end
    file:close()
    ctx:log("info", "packages listed", { path = path, packages = #packages })
    return packages
  end)
  :map({ slug = "classify", array = "list" }, function(package)
    local area, section = split_section(package.section)
    return {
      name = package.name,
      architecture = package.architecture,
      area = area,
      section = section,
      size_class = size_class(package.installed_size),
      installed_size = package.installed_size,
    }
  end)
  :step({ slug = "summary", depends_on = { "classify" } }, function(deps)
    local packages, total = deps.classify, 0
    for _, package in ipairs(packages) do total = total + package.installed_size end
    local by_size = sort_by_size(luaflow.map(packages, function(package)
      return { name = package.name, section = package.section, installed_size = package.installed_size }
    end), "name")
    return {
      packages = #packages,
      total_installed_size = total,
      by_section = sort_by_size(sum_by(packages, "section"), "section"),
      by_size_class = sort_by_size(sum_by(packages, "size_class"), "size_class"),
      largest = luaflow.filter(by_size, function(_, place) return place <= LARGEST end),
    }
  end)
