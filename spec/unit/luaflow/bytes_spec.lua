local luaflow = require "luaflow"

describe("encodings", function()
  it("are base64, both ways, for any bytes", function()
    for bytes, text in pairs { [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foobar = "Zm9vYmFy", ["\0\255\254"] = "AP/+" } do
      assert.same(text, luaflow.base64(bytes))
      assert.same(bytes, luaflow.base64_decode(text))
    end
    for length = 0, 100 do
      local bytes = ("\0\1\128\255"):rep(25):sub(1, length)
      assert.same(bytes, luaflow.base64_decode(luaflow.base64(bytes)))
    end
  end)

  it("refuse what is no base64", function()
    for _, text in ipairs { "Zg", "Z===", "Zg==Zg==", "Zm 8", "====", "Zm8=\n", "Zm_8" } do
      assert.same({ nil, "not base64 with padding" }, { luaflow.base64_decode(text) })
    end
  end)

  it("make any text a part of a URL", function()
    assert.same("a%20b%2Fc%3F%C3%A9-._~%00", luaflow.url_encode "a b/c?é-._~\0")
    assert.same("", luaflow.url_encode "")
  end)
end)

describe("luaflow.hmac_sha256", function()
  it("signs as RFC 4231 says", function()
    assert.same("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      luaflow.hmac_sha256("Jefe", "what do ya want for nothing?"))
    assert.same("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      luaflow.hmac_sha256(("\170"):rep(131), "Test Using Larger Than Block-Size Key - Hash Key First"))
    assert.same("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", luaflow.hmac_sha256("", ""))
    assert.same(32, #luaflow.hmac_sha256("k", "m", "raw"))
  end)

  it("refuses what is no string", function()
    assert.has_error(function() luaflow.hmac_sha256(nil, "m") end, "luaflow.hmac_sha256: key must be a string, not a nil")
    assert.has_error(function() luaflow.hmac_sha256("k", "m", "b64") end, 'luaflow.hmac_sha256: form must be "hex" or "raw"')
    assert.has_error(function() luaflow.base64(7) end, "luaflow.base64: data must be a string, not a number")
  end)
end)

describe("luaflow.uuid", function()
  it("is a random UUID, another each time", function()
    local seen = {}
    for _ = 1, 100 do
      local uuid = luaflow.uuid()
      assert.truthy(uuid:find "^%x+%-%x+%-4%x+%-[89ab]%x+%-%x+$" and #uuid == 36, uuid)
      assert.is_nil(seen[uuid])
      seen[uuid] = true
    end
  end)
end)

describe("luaflow.time", function()
  it("is the virtual clock's in milliseconds, inside a task", function()
    local testing = require "luaflow.testing"
    local flow = luaflow.flow { slug = "f" }:step({ slug = "s" }, function(_, ctx)
      local before = luaflow.time()
      ctx:sleep(1.5)
      return luaflow.time() - before
    end)
    assert.same({ s = 1500 }, testing.run(flow, 1).output)
  end)
end)
