-- What handlers need for talking to other services, by libcrypto, libcurl and the kernel: encodings, signatures, unique ids, the time.
local ffi = require "ffi"
local host = require "luaflow.host"

local bytes = {}

ffi.cdef [[
  int EVP_EncodeBlock(unsigned char *to, const unsigned char *from, int length);
  int EVP_DecodeBlock(unsigned char *to, const unsigned char *from, int length);
  const void *EVP_sha256(void);
  unsigned char *HMAC(const void *digest, const void *key, int key_length, const unsigned char *from, size_t length,
                      unsigned char *to, unsigned int *to_length);
  char *curl_easy_escape(void *curl, const char *from, int length);
  void curl_free(void *text);
]]

local MAX_LENGTH = 1024 * 1024 * 1024
local SHA256_BYTES = 32

local libraries = {}

local function library(soname)
  libraries[soname] = libraries[soname] or ffi.load(soname)
  return libraries[soname]
end

local function crypto() return library "libcrypto.so.3" end
local function curl() return library "libcurl.so.4" end

local function check_bytes(value, call, name)
  if type(value) ~= "string" then error(("luaflow.%s: %s must be a string, not a %s"):format(call, name, type(value)), 3) end
  if #value > MAX_LENGTH then error(("luaflow.%s: %s is longer than 1 GiB"):format(call, name), 3) end
end

--- Bytes as base64, with padding and without line breaks.
---@param data string any bytes
---@return string
function bytes.base64(data)
  check_bytes(data, "base64", "data")
  local buffer = ffi.new("unsigned char[?]", math.floor((#data + 2) / 3) * 4 + 1)
  return ffi.string(buffer, crypto().EVP_EncodeBlock(buffer, data, #data))
end

--- The bytes of a base64 text with padding; nil and a message if it is none.
---@param text string
---@return string? data
---@return string? message
function bytes.base64_decode(text)
  check_bytes(text, "base64_decode", "text")
  local padding = text:match "^[%w+/]*(=?=?)$"
  if not padding or #text % 4 ~= 0 then return nil, "not base64 with padding" end
  if text == "" then return "" end
  local buffer = ffi.new("unsigned char[?]", #text / 4 * 3 + 1)
  local length = crypto().EVP_DecodeBlock(buffer, text, #text)
  if length < #padding then return nil, "not base64 with padding" end
  return ffi.string(buffer, length - #padding)
end

--- Text for a part of a URL: everything but letters, digits, `-`, `.`, `_` and `~` is percent-encoded.
---@param text string
---@return string
function bytes.url_encode(text)
  check_bytes(text, "url_encode", "text")
  if text == "" then return "" end
  local escaped = curl().curl_easy_escape(nil, text, #text)
  if escaped == nil then error("luaflow.url_encode: out of memory", 2) end
  local result = ffi.string(escaped)
  curl().curl_free(escaped)
  return result
end

--- The HMAC of a message with SHA-256.
---@param key string
---@param message string
---@param form? "hex"|"raw" default hex: 64 lower-case digits; raw: 32 bytes
---@return string
function bytes.hmac_sha256(key, message, form)
  check_bytes(key, "hmac_sha256", "key")
  check_bytes(message, "hmac_sha256", "message")
  if form ~= nil and form ~= "hex" and form ~= "raw" then error('luaflow.hmac_sha256: form must be "hex" or "raw"', 2) end
  local buffer = ffi.new("unsigned char[?]", SHA256_BYTES)
  local lib = crypto()
  if lib.HMAC(lib.EVP_sha256(), key, #key, message, #message, buffer, nil) == nil then error("luaflow.hmac_sha256 failed", 2) end
  local raw = ffi.string(buffer, SHA256_BYTES)
  return form == "raw" and raw or (raw:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

--- A new random UUID (version 4).
---@return string
function bytes.uuid()
  local file = assert(io.open "/proc/sys/kernel/random/uuid")
  local uuid = file:read(36)
  file:close()
  return uuid
end

--- Milliseconds since 1970-01-01 UTC; of the virtual clock in luaflow.testing.
---@return number a whole number
function bytes.time()
  return math.floor(host.now() * 1000)
end

return bytes
