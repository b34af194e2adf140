-- Sends one prepared request after another; prints its report as one line of JSON at the end.
-- Arguments: a file with one token per line ("-" for none), the number of the first token to send, how many
-- to send, and for a POST the file with its form body ("-" for a GET).

local prepared, cursor = {}, 0
repeats = 0

local threads = {}
function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local tokens, first, count, form = args[1], tonumber(args[2]), tonumber(args[3]), args[4]
  if form ~= "-" then
    local file = assert(io.open(form, "r"))
    local headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
    prepared[1] = wrk.format("POST", nil, headers, file:read("*a"))
    file:close()
    return
  end
  local number = 0
  for line in io.lines(tokens) do
    if #prepared == count then break end
    if number >= first then
      prepared[#prepared + 1] = wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. line })
    end
    number = number + 1
  end
end

function request()
  cursor = cursor + 1
  if cursor > #prepared then
    cursor = 1
    repeats = repeats + 1
  end
  return prepared[cursor]
end

function done(summary, latency)
  local thread = threads[1]
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p99Ms":%.3f,"repeats":%d,"failures":{"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, thread:get("repeats"),
    errors.status, errors.connect, errors.read, errors.write, errors.timeout
  ))
end
