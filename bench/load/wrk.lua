-- Sends one prepared request after another until it is interrupted; says "ready" when that has begun,
-- and writes one line of JSON at the end.
-- Arguments: a file with one token a line ("-" for none) and how many of them to use, and for a
-- POST the file with its form body ("-" for a GET).

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, microseconds; } moment; int gettimeofday(moment *now, void *zone);")
local moment = ffi.new("moment")

function now()
  ffi.C.gettimeofday(moment, nil)
  return tonumber(moment.seconds) + tonumber(moment.microseconds) / 1e6
end

local prepared, cursor = {}, 0
turns = 0

local threads = {}
function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local tokens, count, form = args[1], tonumber(args[2]), args[3]
  if form ~= "-" then
    local file = assert(io.open(form, "r"))
    local headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
    prepared[1] = wrk.format("POST", nil, headers, file:read("*a"))
    file:close()
    return
  end
  for line in io.lines(tokens) do
    if #prepared == count then break end
    prepared[#prepared + 1] = wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. line })
  end
end

-- wrk's own clock begins on another thread than the requests, and not at once: who is told that all is
-- ready may stop this process.
local begunSeconds, isReady
function request()
  if not isReady then
    begunSeconds = begunSeconds or now()
    isReady = now() - begunSeconds > 0.02
    if isReady then io.stderr:write("ready\n") end
  end
  cursor = cursor + 1
  if cursor > #prepared then
    cursor = 1
    turns = turns + 1
  end
  return prepared[cursor]
end

function done(summary, latency)
  local thread = threads[1]
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p99Ms":%.3f,"turns":%d,"failures":{"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, thread:get("turns"),
    errors.status, errors.connect, errors.read, errors.write, errors.timeout
  ))
end
