-- Asks the authorizer, and passes its refusal on as it is.
local url = "http://127.0.0.1:${AUTHORIZER_PORT}/authorize"
local callers = { "x-caller-application-id", "x-caller-tenant-id", "x-caller-object-id", "x-caller-roles" }

core.register_action("authorize", { "http-req" }, function(txn)
  -- Host is no field of the original request: the client of HAProxy sends its own.
  local sent = {
    ["x-original-method"] = { txn.sf:method() },
    ["x-original-uri"] = { txn.sf:pathq() },
  }
  local received = txn.http:req_get_headers()["authorization"]
  if received then
    sent["authorization"] = {}
    for _, value in pairs(received) do table.insert(sent["authorization"], value) end
  end
  local answer = core.httpclient():get{ url = url, headers = sent, timeout = 5000 }
  if answer.status == 200 then
    for _, name in ipairs(callers) do
      txn.http:req_set_header(name, answer.headers[name] and answer.headers[name][0] or "")
    end
    return
  end
  local reply = txn:reply{ status = answer.status ~= 0 and answer.status or 503, body = answer.body or "" }
  for _, name in ipairs({ "content-type", "cache-control", "www-authenticate", "retry-after", "allow" }) do
    for _, value in pairs(answer.headers and answer.headers[name] or {}) do reply:add_header(name, value) end
  end
  txn:done(reply)
end)
