import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCaller, createGuard, type GuardEvent, type RequiredRole } from '../src/index.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { guardIn, reasonOf } from './guard-factory.ts'
import {
  apiApplicationId,
  audience,
  clientApplicationId,
  issuer,
  keySetOf,
  now,
  objectId,
  optionsWith,
  type Role,
  roles,
  TokenFactory,
  tenantId,
} from './token-factory.ts'

const forge = new TokenFactory('key-1')
const attacker = new TokenFactory('key-1')

describe('an admitted caller', () => {
  it('has the values from the token', async () => {
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
    assert.deepEqual(await ask(forge.token()), {
      outcome: 'admitted',
      applicationId: clientApplicationId,
      tenantId,
      objectId,
      subject: objectId,
      roles: [...roles],
      tokenId: 'AbCdEfGhIjKlMnOpQrStUv',
      expiresAt: now + 3600,
    })
  })

  it('is frozen, including its roles', async () => {
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
    const caller = await ask(forge.token())
    assert.equal(caller.outcome, 'admitted')
    assert.ok(Object.isFrozen(caller))
    assert.ok(caller.outcome === 'admitted' && Object.isFrozen(caller.roles))
  })

  it('has only roles that the guard declares', async () => {
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
    const caller = await ask(forge.token({ roles: ['Other', 'CallHiApiRole', '__proto__'] }))
    assert.deepEqual(caller.outcome === 'admitted' && caller.roles, ['CallHiApiRole'])
  })

  it('is decided without a promise if its key is known', async () => {
    const { guard } = guardIn(new VirtualRuntime(keySetOf(forge)))
    await guard.start()
    const decision = guard.decide(
      { authorization: `Bearer ${forge.token()}`, target: '/' },
      'CallHiApiRole',
    )
    assert.ok(!(decision instanceof Promise))
    assert.equal(decision.outcome, 'admitted')
  })
})

describe('roles', () => {
  const rows: [claim: unknown, required: RequiredRole<Role>, expected: string][] = [
    [['CallHiApiRole'], 'CallHiApiRole', 'admitted'],
    [['CallHiApiRole'], 'CallHelloApiRole', 'role_missing'],
    [['CallHelloApiRole'], 'CallHiApiRole', 'role_missing'],
    [['CallHelloApiRole'], anyCaller, 'admitted'],
    [undefined, 'CallHiApiRole', 'role_missing'],
    [undefined, anyCaller, 'admitted'],
    [[], 'CallHiApiRole', 'role_missing'],
    [['callhiapirole'], 'CallHiApiRole', 'role_missing'],
    [['CALLHIAPIROLE'], 'CallHiApiRole', 'role_missing'],
    [['CallHiApiRoleX'], 'CallHiApiRole', 'role_missing'],
    [['XCallHiApiRole'], 'CallHiApiRole', 'role_missing'],
    [['CallHiApi'], 'CallHiApiRole', 'role_missing'],
    [[' CallHiApiRole'], 'CallHiApiRole', 'role_missing'],
    [['CallHiApiRole\u0000'], 'CallHiApiRole', 'role_missing'],
    [['CallHiApiRole CallHelloApiRole'], 'CallHiApiRole', 'role_missing'],
    ['CallHiApiRole', 'CallHiApiRole', 'role_missing'],
    [[['CallHiApiRole']], 'CallHiApiRole', 'role_missing'],
    [{ 0: 'CallHiApiRole', length: 1 }, 'CallHiApiRole', 'role_missing'],
    [{ CallHiApiRole: true }, 'CallHiApiRole', 'role_missing'],
    [['CallHiApiRole', 1], 'CallHiApiRole', 'role_missing'],
    [null, 'CallHiApiRole', 'role_missing'],
    [true, 'CallHiApiRole', 'role_missing'],
    [7, 'CallHiApiRole', 'role_missing'],
    [['__proto__', 'constructor'], 'CallHiApiRole', 'role_missing'],
    [Array.from({ length: 900 }, (_, i) => `R${i}`), 'CallHiApiRole', 'role_missing'],
  ]
  for (const [claim, required, expected] of rows) {
    const shown = JSON.stringify(claim)?.slice(0, 40)
    it(`with ${shown} for ${String(required)} are ${expected} (RS19)`, async () => {
      const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
      assert.equal(reasonOf(await ask(forge.token({ roles: claim }), required)), expected)
    })
  }

  it('are not read from a claim with the name authorities', async () => {
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
    const token = forge.token({ roles: undefined, authorities: ['CallHiApiRole'] })
    assert.equal(reasonOf(await ask(token)), 'role_missing')
  })

  it('that are undeclared do not compile, and are refused if a cast forces them', async () => {
    const { guard } = guardIn(new VirtualRuntime(keySetOf(forge)))
    const presented = { authorization: `Bearer ${forge.token()}`, target: '/' }
    // @ts-expect-error an undeclared role
    assert.equal(reasonOf(await guard.decide(presented, 'CallHiAPIRole')), 'role_missing')
    // @ts-expect-error no role at all
    assert.equal(reasonOf(await guard.decide(presented, undefined)), 'role_missing')
  })
})

describe('a token', () => {
  const changed = (token: string) => {
    const [header, claims = '', signature] = token.split('.')
    const text = Buffer.from(claims, 'base64url')
      .toString()
      .replace('"appidacr":"1"', '"appidacr":"2"')
    return [header, Buffer.from(text).toString('base64url'), signature].join('.')
  }
  const tests: [name: string, token: () => string, expected: string][] = [
    ['of an unpublished key', () => new TokenFactory('key-2').token(), 'key_unknown'],
    ['of another key with the same kid', () => attacker.token(), 'signature_invalid'],
    ['with a changed claim', () => changed(forge.token()), 'signature_invalid'],
    ['for another audience', () => forge.token({ aud: `${audience}x` }), 'audience_not_ours'],
    ['from another issuer', () => forge.token({ iss: issuer.slice(0, -1) }), 'issuer_not_trusted'],
    ['from another tenant', () => forge.token({ tid: apiApplicationId }), 'tenant_not_trusted'],
    ['that has expired', () => forge.token({ exp: now - 60 }), 'expired'],
    ['that expires within the tolerance', () => forge.token({ exp: now - 59 }), 'admitted'],
    ['that is not valid yet', () => forge.token({ nbf: now + 61 }), 'not_yet_valid'],
    ['that becomes valid within the tolerance', () => forge.token({ nbf: now + 60 }), 'admitted'],
  ]
  for (const [name, token, expected] of tests) {
    it(`${name} is ${expected}`, async () => {
      const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
      assert.equal(reasonOf(await ask(token())), expected)
    })
  }

  it('with an unknown key gets the same response as with a bad signature (RS32)', async () => {
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)))
    const { reason: _, ...unknown } = {
      reason: '',
      ...(await ask(new TokenFactory('other').token())),
    }
    const { reason: __, ...invalid } = { reason: '', ...(await ask(attacker.token())) }
    assert.deepEqual(unknown, invalid)
  })
})

describe('the listener', () => {
  const long = `https://long.example/${'x'.repeat(300)}`
  const issuers: [iss: unknown, received: string][] = [
    ['http://127.0.0.1:4000/other/', 'http://127.0.0.1:4000/other/'],
    [
      'https://a.example/\r\nforged line\u001b[31m\u202eé',
      'https://a.example/??forged line?[31m??',
    ],
    [long, `${long.slice(0, 197)}...`],
    [undefined, 'no text (undefined)'],
    [['https://a.example/'], 'no text (object)'],
  ]
  for (const [iss, received] of issuers) {
    it(`receives the expected issuers beside ${JSON.stringify(iss)?.slice(0, 60)}`, async () => {
      const events: GuardEvent[] = []
      const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)), {
        listener: (event) => events.push(event),
      })
      const decision = await ask(forge.token({ iss }))
      const reason = 'issuer_not_trusted'
      assert.deepEqual(events, [
        { type: 'refused', reason, issuer: { expected: [issuer], received } },
      ])
      assert.ok(decision.outcome === 'refused' && decision.reason === reason)
      // The caller learns neither.
      const answer = JSON.stringify([decision.headers, decision.body])
      assert.ok(!answer.includes(received.slice(0, 15)) && !answer.includes(issuer), answer)
    })
  }

  it('receives every decision, but never a token', async () => {
    const events: GuardEvent[] = []
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)), {
      listener: (event) => events.push(event),
    })
    const tokens = [forge.token(), attacker.token(), forge.token({ exp: 1 }), 'canary-token']
    for (const token of tokens) await ask(token)
    assert.deepEqual(
      events.map((event) => (event.type === 'refused' ? event.reason : event.type)),
      [
        'key_added',
        'key_set_refreshed',
        'admitted',
        'signature_invalid',
        'expired',
        'token_malformed',
      ],
    )
    const told = JSON.stringify(events)
    for (const part of tokens.flatMap((token) => token.split('.'))) {
      assert.ok(!told.includes(part), part)
    }
  })

  it('cannot change a decision by throwing', async () => {
    const { ask } = guardIn(new VirtualRuntime(keySetOf(forge)), {
      listener: () => {
        throw new Error('failure of the listener')
      },
    })
    assert.equal(reasonOf(await ask(forge.token())), 'admitted')
    assert.equal(reasonOf(await ask(attacker.token())), 'signature_invalid')
  })
})

describe('a Node version before 22', () => {
  it('causes a one-sentence error in createGuard', (t) => {
    const { withResolvers } = Promise
    t.after(() => Object.assign(Promise, { withResolvers }))
    Object.assign(Promise, { withResolvers: undefined })
    assert.throws(() => createGuard(optionsWith()), {
      name: 'TypeError',
      message: `@greeting/guard needs Node 22 or newer, and this is ${process.version}`,
    })
  })
})
