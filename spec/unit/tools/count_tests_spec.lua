-- tools/count-tests.awk: what a runner printed, and the three numbers that are made of it.
local function count(text)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(text)
  file:close()
  local pipe = assert(io.popen("awk -f tools/count-tests.awk " .. name))
  local counts = pipe:read "*l"
  pipe:close()
  os.remove(name)
  return counts
end

describe("count-tests", function()
  it("counts passed, failed and skipped tests", function()
    assert.equal("2 1 2", count [[
ok 1 - one
not ok 2 - two
# ok 9 - only said
ok 3 - three
ok 4 - # SKIP four
not ok 5 - five # TODO later
ok
1..5
]])
  end)

  it("counts nothing where nothing ran", function()
    assert.equal("0 0 0", count "luajit: cannot open file\n")
  end)

  it("reads each program's tests in what ctest prints", function()
    assert.equal("2 1 0", count [[
1: ok 1 - a
2: not ok 1 - b
1: ok 2 - c
1/2 Test #1: first_test ......   Passed    0.01 sec
2/2 Test #2: second_test .....***Failed    0.01 sec
]])
  end)

  it("counts a program of ctest that ended without a failed test of its own", function()
    assert.equal("1 3 0", count [[
1: ok 1 - a
1/3 Test #1: first_test ......***Exception: SegFault  0.01 sec
2/3 Test #2: second_test .....***Timeout 120.01 sec
 3/3 Test  #3: third_test .....***Not Run   0.00 sec
]])
  end)

  it("counts a file of pg_prove that broke off", function()
    assert.equal("1 2 0", count [[
ok 1 - a
not ok 1 - b
spec/sql/a.sql (Wstat: 0 Tests: 2 Failed: 1)
  Failed test:  2
spec/sql/b.sql (Wstat: 768 (exited 3) Tests: 2 Failed: 0)
  Non-zero exit status: 3
]])
  end)
end)
