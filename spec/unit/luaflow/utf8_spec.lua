local utf8 = require "luaflow.utf8"

describe("is_valid", function()
  it("takes every length of character", function()
    for _, text in ipairs { "", "plain", "\194\128", "\224\160\128", "\237\159\191", "\240\144\128\128", "\244\143\191\191", "aé€😀z" } do
      assert.is_true(utf8.is_valid(text))
    end
  end)

  it("refuses bytes that are no characters", function()
    for _, text in ipairs {
      "\128", "\192\128", "\193\191", "\194", "\194a", "\224\159\191", "\237\160\128", "\226\130", "\240\143\191\191",
      "\244\144\128\128", "\245\128\128\128", "\255", "é\255", "\195\169\169",
    } do
      assert.is_false(utf8.is_valid(text))
    end
  end)
end)
