# Counts the tests in what a runner printed: TAP, bare or as `ctest --verbose` and `pg_prove --verbose` show it.
# Prints: passed failed skipped. A test program of ctest or pg_prove that failed without a failed test of its own (a
# crash, a missing plan, a timeout) counts as one failure.

{ program = 0 }

# ctest puts the number of the program before each of its lines.
/^[0-9]+: / {
  program = $1 + 0
  sub(/^[0-9]+: /, "")
}

/^(not )?ok( [0-9]| -)/ {
  if (/# *(SKIP|TODO|skip|todo)/) skipped++
  else if (/^not/) { failed++; failures[program]++ }
  else passed++
}

# ctest:  2/3 Test #2: frame_test ...............***Exception: SegFault  0.01 sec
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: .*\*\*\*/ {
  match($0, /#[0-9]+/)
  if (!failures[substr($0, RSTART + 1, RLENGTH - 1) + 0]) failed++
}

# pg_prove:  spec/sql/x.sql  (Wstat: 768 (exited 3) Tests: 2 Failed: 0)
/ \(Wstat: .* Failed: 0\)$/ { failed++ }

END { print passed + 0, failed + 0, skipped + 0 }
