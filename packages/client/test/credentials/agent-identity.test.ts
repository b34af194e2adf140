import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { agentIdentity } from '../../src/credentials/agent-identity.ts'
import { clientSecret, clientSecrets } from '../../src/credentials/credential.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import {
  type Answer,
  grant,
  json,
  noConnection,
  refusal,
  VirtualRuntime,
} from '../fakes/virtual-runtime.ts'

const blueprintId = 'blueprint'
const credential = clientSecret('blueprint-secret')
const agentOf = (agentId: string) => agentIdentity({ blueprintId, credential, agentId })

/** A server that answers the first step with `T1-n`, and the second with a token that names its agent. */
const serverOf = (
  second: (assertion: string, agent: string) => Answer = (_assertion, agent) =>
    grant(`TR-${agent}`),
  first: (number: number) => Answer = (number) => grant(`T1-${number}`, 3900),
): VirtualRuntime => {
  let number = 0
  return new VirtualRuntime((request, signal) => {
    const { form } = request
    if (form.has('fmi_path')) {
      number += 1
      return first(number)(request, signal)
    }
    const answer = second(form.get('client_assertion') ?? '', form.get('client_id') ?? '')
    return answer(request, signal)
  })
}

const sourceOf = (environment: VirtualRuntime, agentId = 'agent', credential = agentOf(agentId)) =>
  tokenSourceIn(environment, { clientId: agentId, credential })

/** The requests: `1` with the agent of the first step, `2` with the assertion of the second. */
const stepsOf = ({ sent }: VirtualRuntime) =>
  sent.map(({ form }) =>
    form.has('fmi_path') ? `1 ${form.get('fmi_path')}` : `2 ${form.get('client_assertion')}`,
  )

describe('an agent identity', () => {
  it('obtains its token with the two requests that Entra ID documents', async () => {
    const environment = serverOf()
    assert.equal(await sourceOf(environment).token(), 'TR-agent')
    assert.deepEqual(
      environment.sent.map(({ form }) => Object.fromEntries(form)),
      [
        {
          grant_type: 'client_credentials',
          scope: 'api://AzureADTokenExchange/.default',
          fmi_path: 'agent',
          client_id: 'blueprint',
          client_secret: 'blueprint-secret',
        },
        {
          grant_type: 'client_credentials',
          scope: 'api://api-id/.default',
          client_id: 'agent',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: 'T1-1',
        },
      ],
    )
  })

  const ages: readonly (readonly [string, number, readonly string[]])[] = [
    ['keeps its exchange token', 3_599_000, ['1 agent', '2 T1-1', '2 T1-1']],
    [
      'replaces it five minutes before its expiry',
      3_600_000,
      ['1 agent', '2 T1-1', '1 agent', '2 T1-2'],
    ],
  ]
  for (const [what, passedMs, steps] of ages) {
    it(what, async () => {
      const environment = serverOf()
      const source = sourceOf(environment)
      await source.token()
      environment.pass(passedMs)
      await source.token({ force: true })
      assert.deepEqual(stepsOf(environment), steps)
    })
  }

  it('replaces an exchange token that the server refuses', async () => {
    const environment = serverOf((assertion, agent) =>
      assertion === 'T1-1' ? refusal('invalid_client', 700024) : grant(`TR-${agent}`),
    )
    assert.equal(await sourceOf(environment).token(), 'TR-agent')
    assert.deepEqual(stepsOf(environment), ['1 agent', '2 T1-1', '1 agent', '2 T1-2'])
  })

  it('replaces an exchange token only once, and rejects with the second refusal', async () => {
    const environment = serverOf(() => refusal('invalid_client', 700213))
    await assert.rejects(sourceOf(environment).token(), /AADSTS700213/)
    assert.equal(environment.sent.length, 4)
  })

  it('keeps the exchange token if the server refuses the request for another reason', async () => {
    const environment = serverOf(() => refusal('invalid_scope', 1002012, 400))
    const source = sourceOf(environment)
    await assert.rejects(source.token(), { code: 'token_refused' })
    await assert.rejects(source.token(), { code: 'token_refused' })
    assert.deepEqual(stepsOf(environment), ['1 agent', '2 T1-1', '2 T1-1'])
  })

  it('shares one exchange token between its sources for several APIs', async () => {
    const environment = serverOf()
    const agent = agentOf('agent')
    const sources = ['one', 'two'].map((scope) =>
      tokenSourceIn(environment, { clientId: 'agent', credential: agent, scope }),
    )
    await Promise.all(sources.flatMap((source) => [source.token(), source.token()]))
    assert.deepEqual(stepsOf(environment), ['1 agent', '2 T1-1', '2 T1-1'])
  })

  it('shares no token with another agent of its blueprint, even in a shared cache', async () => {
    const environment = serverOf()
    const entries = new Map<string, string>()
    const cache = {
      get: async (key: string) => entries.get(key),
      set: async (key: string, value: string) => entries.set(key, value),
    }
    const agents = ['agent-a', 'agent-b', 'agent-a']
    const tokens = await Promise.all(
      agents.map((agentId) =>
        tokenSourceIn(environment, {
          clientId: agentId,
          credential: agentOf(agentId),
          cache,
        }).token(),
      ),
    )
    assert.deepEqual(tokens, ['TR-agent-a', 'TR-agent-b', 'TR-agent-a'])
    assert.equal(entries.size, 2)
    assert.doesNotMatch([...entries].join(), /T1-|secret/)
  })

  const failures: readonly (readonly [string, Answer, string])[] = [
    ['refused for its secret', refusal('invalid_client'), 'credential_refused'],
    ['refused for its path', refusal('invalid_request', 82008, 400), 'token_refused'],
    ['answered without a token', json(200, { access_token: 7 }), 'authority_answer_invalid'],
    ['throttled', json(503, {}, { 'retry-after': '60' }), 'authority_unreachable'],
  ]
  for (const [what, answer, code] of failures) {
    it(`rejects with the cause if the first request is ${what}`, async () => {
      const environment = serverOf(undefined, () => answer)
      await assert.rejects(sourceOf(environment).token(), { code })
      assert.equal(environment.sent.length, 1)
    })
  }

  it('repeats the first request after a broken connection', async () => {
    const environment = serverOf(undefined, (number) =>
      number === 1 ? noConnection : grant(`T1-${number}`, 3900),
    )
    assert.equal(await sourceOf(environment).token(), 'TR-agent')
    assert.deepEqual(stepsOf(environment), ['1 agent', '1 agent', '2 T1-2'])
  })

  it("sends no first request before the server's Retry-After has passed", async () => {
    const environment = serverOf(undefined, () => json(429, {}, { 'retry-after': '60' }))
    const source = sourceOf(environment)
    await assert.rejects(source.token(), { code: 'authority_unreachable' })
    environment.pass(30_000)
    await assert.rejects(source.token(), { code: 'authority_unreachable' })
    assert.equal(environment.sent.length, 1)
  })

  it("tries the blueprint's second secret, and remembers it", async () => {
    const environment = new VirtualRuntime((request, signal) => {
      const secret = request.form.get('client_secret')
      const answer = secret === 'first-one' ? refusal('invalid_client') : grant('T')
      return answer(request, signal)
    })
    const secrets = clientSecrets('first-one', 'second-one')
    const agent = agentIdentity({ blueprintId, credential: secrets, agentId: 'agent' })
    const source = sourceOf(environment, 'agent', agent)
    await source.token()
    environment.pass(3_700_000)
    await source.token()
    assert.deepEqual(
      environment.sent.map(({ form }) => form.get('client_secret')),
      ['first-one', 'second-one', null, 'second-one', null],
    )
  })

  const faults: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['no agent', () => agentOf(''), /agentIdentity: `agentId` must be a string that is not empty/],
    [
      'a secret instead of a credential',
      () => agentIdentity({ blueprintId, credential: 's' as never, agentId: 'a' }),
      /`credential` must be an object/,
    ],
    [
      'the client ID of another client',
      () => sourceOf(serverOf(), 'other', agentOf('agent')),
      /`clientId` must be the client of the credential/,
    ],
  ]
  for (const [what, work, message] of faults) {
    it(`is refused with ${what}`, () => {
      assert.throws(work, { name: 'TypeError', message })
    })
  }
})
