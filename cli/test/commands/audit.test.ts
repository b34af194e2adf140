import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AuditServer, recordAt } from '../fakes/audit-server.ts'

const refusal = recordAt(1_800_000_002, {
  actor: '0d3f3f5e-1c1a-4a38-9c0d-0a5d7e0a1b11',
  action: 'token.issue',
  outcome: 'refused',
  reason: 'secret_wrong',
  correlationId: 'correlation-1',
})

describe('greeting audit', () => {
  it('shows both logs in one table, the latest record first, with times in seconds', async (test) => {
    const server = await AuditServer.start(test)
    server.logs.directory?.push(recordAt(1_800_000_001), recordAt(1_800_000_003, { target: 'x' }))
    server.logs.signIns?.push(refusal)
    assert.deepEqual(await server.run(), {
      code: 0,
      out: `time                  outcome  action           actor                                 target  reason        correlation id
2027-01-15T08:00:03Z  done     directory.found  system                                x
2027-01-15T08:00:02Z  refused  token.issue      0d3f3f5e-1c1a-4a38-9c0d-0a5d7e0a1b11          secret_wrong  correlation-1
2027-01-15T08:00:01Z  done     directory.found  system
`,
      err: '',
      seesSecret: false,
    })
  })

  it('prints each record as one line of JSON with its log', async (test) => {
    const server = await AuditServer.start(test)
    server.logs.directory?.push(recordAt(1))
    server.logs.signIns?.push(refusal)
    const { code, out } = await server.run('--json')
    assert.equal(code, 0)
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { log: 'sign-ins', ...refusal },
        { log: 'directory', ...recordAt(1) },
      ],
    )
  })

  it('reports that no records exist, and prints nothing with --json', async (test) => {
    const server = await AuditServer.start(test)
    assert.deepEqual(await server.run(), {
      code: 0,
      out: 'No matching records.\n',
      err: '',
      seesSecret: false,
    })
    server.terminal.out = ''
    assert.equal((await server.run('--json')).out, '')
  })

  const asked: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
    [[], {}],
    [['--since', '2026-01-31'], { from: '2026-01-31T00:00:00.000Z' }],
    [['--until', '2026-01-31T12:00:00+02:00'], { to: '2026-01-31T10:00:00.000Z' }],
    [['--actor', 'system'], { actor: 'system' }],
    [['--action', 'token.issue'], { action: 'token.issue' }],
    [['--target', 'a&b=c'], { target: 'a&b=c' }],
    [['--outcome', 'refused'], { outcome: 'refused' }],
    [['--reason', 'secret_wrong'], { reason: 'secret_wrong' }],
    [['--correlation-id', 'one'], { correlationId: 'one' }],
    [['--tenant', 'two'], { tenantId: 'two' }],
    [['--actor', 'a', '--action', 'b'], { actor: 'a', action: 'b' }],
  ]
  for (const [args, filters] of asked)
    it(`queries both logs with the filters: ${args.join(' ') || 'none'}`, async (test) => {
      const server = await AuditServer.start(test)
      assert.equal((await server.run(...args)).code, 0)
      assert.deepEqual(server.queries, [
        { ...filters, log: 'directory', limit: '51' },
        { ...filters, log: 'signIns', limit: '51' },
      ])
    })

  for (const [name, parameter] of [
    ['directory', 'directory'],
    ['sign-ins', 'signIns'],
  ] as const)
    it(`queries one log only: ${name}`, async (test) => {
      const server = await AuditServer.start(test)
      const { err } = await server.run('--log', name)
      assert.equal(err, '')
      assert.deepEqual(server.queries, [{ log: parameter, limit: '51' }])
    })

  it('follows all pages', async (test) => {
    const server = await AuditServer.start(test)
    server.pageSize = 2
    for (const log of ['directory', 'signIns'])
      for (let at = 1; at <= 5; at += 1)
        server.logs[log]?.push(recordAt(log === 'directory' ? at * 2 : at * 2 + 1))
    const { out, err } = await server.run('--json')
    const ids = out
      .trimEnd()
      .split('\n')
      .map((line) => Number.parseInt(JSON.parse(line).id, 16))
    assert.deepEqual(ids, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
    assert.equal(err, '')
    assert.equal(server.queries.length, 6)
  })

  it('stops at the limit, and reports further records on the error stream', async (test) => {
    const server = await AuditServer.start(test)
    for (let at = 1; at <= 4; at += 1) server.logs.signIns?.push(recordAt(at))
    const some = await server.run('--limit', '3')
    assert.equal(some.out.trimEnd().split('\n').length, 1 + 3)
    assert.equal(some.err, 'There are earlier records. Use a higher --limit to show more.\n')
    server.terminal.err = ''
    assert.equal((await server.run('--limit', '4')).err, '')
  })

  it('requests pages of at most a thousand records, and shows progress on a terminal', async (test) => {
    const server = await AuditServer.start(test)
    server.terminal.isInteractive = true
    for (let at = 1; at <= 2500; at += 1) server.logs.signIns?.push(recordAt(at))
    const { out, err } = await server.run('--log', 'sign-ins', '--limit', '2400', '--json')
    assert.equal(out.trimEnd().split('\n').length, 2400)
    assert.deepEqual(
      server.queries.map(({ limit }) => limit),
      ['1000', '1000', '401'],
    )
    assert.match(err, /^1000 records so far\.\n2000 records so far\.\nThere are earlier records/)
  })

  it("escapes control characters in an attacker's name, and shortens the name", async (test) => {
    const steering = ['\u001b', '\u009b', '\u202e']
    const actor = `\u001b[2J\u009b1m\n\u202e${'x'.repeat(200)}`
    const server = await AuditServer.start(test)
    server.logs.signIns?.push({ ...refusal, actor })
    const { out: table } = await server.run()
    assert.ok(!steering.some((one) => table.includes(one)))
    assert.equal(table.trimEnd().split('\n').length, 2)
    assert.match(table, / \\u001b\[2J\\u009b1m\\u000a\\u202ex{10,60}… /)
    server.terminal.out = ''
    const { out: json } = await server.run('--json')
    assert.ok(!steering.some((one) => json.includes(one)))
    assert.equal(JSON.parse(json).actor, actor)
  })

  it('stops on Ctrl-C', async (test) => {
    const server = await AuditServer.start(test)
    server.terminal.stop()
    const { code, err } = await server.run()
    assert.equal(code, 1)
    assert.equal(err, 'Stopped by the test.\n')
    assert.deepEqual(server.queries, [])
  })
})

describe('a failing greeting audit', () => {
  const usage: readonly (readonly [readonly string[], RegExp])[] = [
    [['--since', 'yesterday'], /The time must have a form like 2026-01-31 /],
    [['--since', '2026-01-31T12:00:00'], /The time must have a form like/],
    [['--until', '2026-02-30'], /The time must have a form like/],
    [['--since', '2026-02-01', '--until', '2026-01-31'], /--since must be earlier than --until/],
    [['--limit', '0'], /The limit must be a whole number from 1 to 1000000/],
    [['--limit', '1000001'], /The limit must be a whole number/],
    [['--limit', 'all'], /The limit must be a whole number/],
    [['--outcome', 'maybe'], /Allowed choices are done, refused\./],
    [['--log', 'signIns'], /Allowed choices are directory, sign-ins\./],
    [['--actor', ''], /It must not be empty/],
    [['--who', 'me'], /unknown option '--who'/],
    [['token.issue'], /too many arguments/],
  ]
  for (const [args, message] of usage)
    it(`reports bad usage: ${args.join(' ')}`, async (test) => {
      const server = await AuditServer.start(test)
      const { code, out, err } = await server.run(...args)
      assert.equal(code, 2)
      assert.equal(out, '')
      assert.match(err, message)
      assert.deepEqual(server.queries, [])
    })

  it("names the administrator's missing settings", async (test) => {
    const server = await AuditServer.start(test)
    for (const name of Object.keys(server.environment)) delete server.environment[name]
    const { code, err } = await server.run()
    assert.equal(code, 2)
    assert.match(err, /TENANT_ID is missing; CLIENT_ID is missing; CLIENT_SECRET is missing\./)
  })

  it('names the missing role', async (test) => {
    const server = await AuditServer.start(test)
    server.instead.audit = () => new Response(null, { status: 403 })
    const { code, out, err } = await server.run()
    assert.equal(code, 4)
    assert.equal(out, '')
    assert.match(err, /it lacks the application role AuditLog\.Read\.All\n/)
    server.terminal.err = ''
    const asJson = JSON.parse((await server.run('--json')).err)
    assert.equal(asJson.error.role, 'AuditLog.Read.All')
  })

  const failures = [
    {
      what: 'a wrong secret',
      set: (server: AuditServer) => (server.environment.CLIENT_SECRET = 'canary~wrong'),
      exit: 3,
      message: /AADSTS7000215/,
    },
    {
      what: 'an identity provider that fails',
      // A wait beyond the deadline of the client, so the client does not begin to wait.
      set: ({ instead }: AuditServer) =>
        (instead.token = () =>
          new Response(null, { status: 503, headers: { 'retry-after': '600' } })),
      exit: 5,
      message: /^The identity provider could not /,
    },
    {
      what: 'a refusal with its own message and request ID',
      set: ({ instead }: AuditServer) =>
        (instead.audit = () =>
          Response.json(
            {
              error: {
                code: 'Request_BadRequest',
                message: 'No.',
                innerError: { 'request-id': 'request-1' },
              },
            },
            { status: 400 },
          )),
      exit: 1,
      message: /400 Request_BadRequest: No\. \(request request-1\)\n$/,
    },
    {
      what: 'an invalid response',
      set: ({ instead }: AuditServer) =>
        (instead.audit = () => Response.json({ value: [{ secret: 'canary' }] })),
      exit: 1,
      message: /^The response to GET \/audit has an unexpected form/,
    },
  ]
  for (const { what, set, exit, message } of failures)
    it(`describes ${what} without a secret`, async (test) => {
      const server = await AuditServer.start(test)
      set(server)
      const { code, out, err, seesSecret } = await server.run()
      assert.equal(code, exit, err)
      assert.equal(out, '')
      assert.match(err, message)
      assert.equal(seesSecret, false)
    })
})
