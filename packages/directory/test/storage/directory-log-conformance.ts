import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  policy,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import {
  commitAt,
  commitOf,
  foreignBases,
  knownCommits,
  markAt,
  recordOf,
} from '../../../../test/fixtures/directory/sample-commit.ts'
import type { Commit } from '../../src/live/commit.ts'
import type { DirectoryLog } from '../../src/live/directory-log.ts'
import { put, remove } from '../../src/model/directory-change.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { FreshStorage } from './fresh-storage.ts'

const at = new Date('2030-01-01T00:00:00.123Z')

async function followed(log: DirectoryLog, known?: Commit) {
  const answer = await log.changesAfter(known)
  return { ...answer, latest: commitOf(answer.latest) }
}

/** Names that break a store that builds statements from texts. */
const awkward = ['', "'; drop table tenant; --", '"', '\\', '名前', '\u{1f44b}', '\u202egnp', '%_']

const everything = application({
  displayName: awkward.join(' '),
  deletedDateTime: at,
  signInAudience: 'AzureADMultipleOrgs',
  identifierUris: ['api://b', 'api://a'],
  requestedAccessTokenVersion: 2,
  optionalAccessTokenClaims: [{ name: 'idtyp', additionalProperties: ['include_user_token'] }],
  appRoles: awkward.map((description, index) => appRole({ id: guid(index), description })),
  requiredResourceAccess: [
    { resourceAppId: guid(9), resourceAccess: [{ id: guid(8), type: 'Role' }] },
    { resourceAppId: guid(7), resourceAccess: [] },
  ],
  isFallbackPublicClient: true,
  passwordAuthenticationAllowed: false,
  passwordCredentials: [1, 2].map((number) => ({
    keyId: guid(number),
    displayName: number === 1 ? null : 'second',
    hint: 'abc',
    startDateTime: at,
    endDateTime: new Date('2299-12-31T23:59:59.999Z'),
    secretSha256: new Uint8Array(32).fill(255 - number),
  })),
  keyCredentials: [
    {
      keyId: guid(3),
      displayName: null,
      startDateTime: at,
      endDateTime: at,
      certificate: new Uint8Array([0, 1, 254, 255]),
      sha1Thumbprint: 'one',
      sha256Thumbprint: 'two',
    },
  ],
  uniqueName: awkward.join(' '),
  ownerIds: [guid(4), guid(5)],
  policyIds: [guid(6)],
  extensionProperties: [
    {
      id: guid(7),
      name: 'extension_a_b',
      dataType: 'String',
      isMultiValued: true,
      targetObjects: ['User', 'Group'],
    },
  ],
  inertProperties: { notes: awkward.join(' '), tags: awkward, web: { redirectUris: ['a:b'] } },
  federatedIdentityCredentials: [
    {
      id: guid(4),
      name: 'ci',
      description: null,
      issuer: 'https://ci.example',
      subject: 'repo:main',
      audiences: ['api://AzureADTokenExchange'],
    },
  ],
})

/** Tests a directory log. */
export function directoryLogConformance(fresh: FreshStorage): void {
  it('begins empty, at revision 0', async () => {
    const { directory } = await (await fresh()).open()
    assert.deepEqual(await followed(directory), {
      latest: commitAt(0),
      hasKnown: true,
      changes: [],
      loaded: [],
    })
  })

  it('returns every object unchanged on every replica', async () => {
    const store = await fresh()
    const [one, other] = [await store.open(), await store.open()]
    const written = [
      put('tenant', tenant({ displayName: awkward.join(' '), domains: [], isEnabled: false })),
      put('tenant', tenant({ id: guid(2), policies: [policy(6), policy(7)] })),
      put('tenant', tenant({ id: guid(3), inertProperties: { notes: awkward } })),
      put('application', everything),
      put('application', application({ id: guid(0xaa), appId: guid(0xab) })),
      put('servicePrincipal', servicePrincipal({ deletedDateTime: at, accountEnabled: false })),
      put(
        'servicePrincipal',
        servicePrincipal({
          id: 'x',
          appRoleAssignmentRequired: true,
          ownerIds: [guid(4)],
          policyIds: [guid(6), guid(7)],
          inertProperties: { notes: awkward.join(' ') },
          passwordCredentials: everything.passwordCredentials,
          keyCredentials: everything.keyCredentials,
          delegatedConsents: [
            {
              id: 'g',
              consentType: 'AllPrincipals',
              principalId: null,
              resourceId: guid(5),
              scope: 'a b',
            },
          ],
        }),
      ),
      put('appRoleAssignment', appRoleAssignment()),
    ]
    assert.notEqual(await one.directory.commit(commitAt(0), markAt(1), written, []), 'conflict')
    const read = await other.directory.changesAfter()
    assert.deepEqual(commitOf(read.latest), commitAt(1))
    const byName = (change: { kind: string; id: string }) => `${change.kind} ${change.id}`
    assert.deepEqual(
      (read.changes ?? []).toSorted((a, b) => (byName(a) < byName(b) ? -1 : 1)),
      written
        .toSorted((a, b) => (byName(a) < byName(b) ? -1 : 1))
        .map((change) => ({ ...change, mark: 'mark 1' })),
    )
  })

  it('returns the latest state of each changed object once', async () => {
    const { directory } = await (await fresh()).open()
    await directory.commit(
      commitAt(0),
      markAt(1),
      [put('tenant', tenant()), put('application', everything)],
      [],
    )
    await directory.commit(
      commitAt(1),
      markAt(2),
      [put('application', application({ appRoles: [appRole()] }))],
      [],
    )
    await directory.commit(commitAt(2), markAt(3), [put('application', application())], [])
    assert.deepEqual(await followed(directory, commitAt(1)), {
      latest: commitAt(3),
      hasKnown: true,
      changes: [{ ...put('application', application()), mark: 'mark 3' }],
      loaded: [],
    })
    assert.deepEqual(await followed(directory, commitAt(3)), {
      latest: commitAt(3),
      hasKnown: true,
      changes: [],
      loaded: [],
    })
  })

  it('reports a removed object, and keeps no part of it', async () => {
    const { directory } = await (await fresh()).open()
    await directory.commit(commitAt(0), markAt(1), [put('application', everything)], [])
    await directory.commit(commitAt(1), markAt(2), [remove('application', everything.id)], [])
    assert.deepEqual(await followed(directory, commitAt(1)), {
      latest: commitAt(2),
      hasKnown: true,
      changes: [{ ...remove('application', everything.id), mark: '' }],
      loaded: [],
    })
    await directory.commit(
      commitAt(2),
      markAt(3),
      [put('application', application({ id: everything.id }))],
      [],
    )
    const { changes } = await directory.changesAfter(commitAt(1))
    assert.deepEqual(changes, [
      { ...put('application', application({ id: everything.id })), mark: 'mark 3' },
    ])
  })

  it('commits changes together with their audit records, or neither after a conflict', async () => {
    const { directory, audit } = await (await fresh()).open()
    await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant())], [recordOf('first')])
    for (const base of [0, 2, 7]) {
      const change = put('tenant', tenant({ displayName: 'never' }))
      assert.equal(
        await directory.commit(commitAt(base), markAt(base + 1), [change], [recordOf('never')]),
        'conflict',
      )
    }
    const { records } = await audit.find({ log: 'directory', limit: 10 })
    assert.deepEqual(
      records.map(({ target }) => target),
      ['first'],
    )
    assert.deepEqual(await followed(directory), {
      latest: commitAt(1),
      hasKnown: true,
      changes: [{ ...put('tenant', tenant()), mark: 'mark 1' }],
      loaded: [],
    })
  })

  describe('at commit 2', () => {
    let directory: DirectoryLog
    before(async () => {
      directory = (await (await fresh()).open()).directory
      await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant())], [])
      await directory.commit(commitAt(1), markAt(2), [put('application', application())], [])
    })

    for (const [what, known, hasKnown] of knownCommits) {
      it(`reports that it ${hasKnown ? 'has' : 'lacks'} ${what} (AS37)`, async () => {
        const { changes = [] } = await directory.changesAfter()
        const later = changes.filter(({ mark }) => mark > markAt(known.revision))
        assert.deepEqual(await followed(directory, known), {
          latest: commitAt(2),
          hasKnown,
          changes: hasKnown ? later : undefined,
          loaded: [],
        })
      })
    }
  })

  describe('at commit 1', () => {
    let storage: Storage
    before(async () => {
      storage = await (await fresh()).open()
      await storage.directory.commit(commitAt(0), markAt(1), [put('tenant', tenant())], [])
    })

    for (const [what, base] of foreignBases) {
      it(`writes nothing on ${what} (AS37)`, async () => {
        const { directory, audit } = storage
        const change = put('tenant', tenant({ displayName: 'never' }))
        assert.equal(
          await directory.commit(base, 'mine', [change], [recordOf('never')]),
          'conflict',
        )
        assert.deepEqual(commitOf((await directory.changesAfter()).latest), commitAt(1))
        assert.deepEqual((await audit.find({ log: 'directory', limit: 10 })).records, [])
      })
    }
  })
}
