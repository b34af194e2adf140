import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations, type RegistrationsFile } from '@greeting/registrations'
import type { DirectoryState } from '../../src/directory/directory-state.ts'
import { exportRegistrations } from '../../src/planning/export.ts'
import { planRegistrations } from '../../src/planning/plan.ts'
import { countedReads } from './counted-reads.ts'

const now = new Date('2026-03-01T12:00:00Z')
const roleId = '0e6f2b1d-93c4-4d8a-a1f7-6c5e8b2d4f10'
const guid = (kind: number, index: number) =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`

const fileOf = (clients: number): RegistrationsFile =>
  parseRegistrations(
    JSON.stringify({
      apis: [
        {
          displayName: 'Orders',
          appRoles: [{ id: roleId, value: 'Read', displayName: 'Read', description: 'Reads.' }],
        },
      ],
      clients: Array.from({ length: clients }, (_, index) => ({
        displayName: `Client ${index}`,
        permissions: [{ api: 'Orders', roles: ['Read'] }],
        secrets: [{ displayName: 'First' }],
      })),
      consents: Array.from({ length: clients }, (_, index) => ({
        client: `Client ${index}`,
        api: 'Orders',
      })),
      removed: Array.from({ length: clients }, (_, index) => `Former ${index}`),
    }),
  )

const emptyState: DirectoryState = {
  tenantId: guid(9, 0),
  applications: [],
  servicePrincipals: [],
  assignments: [],
}

/** A directory in which all clients of the file are registered, and have a role. */
function stateOf(clients: number): DirectoryState {
  const appRole = {
    id: roleId,
    value: 'Read',
    displayName: 'Read',
    description: 'Reads.',
    isEnabled: true,
    allowedMemberTypes: ['Application'],
  }
  const applications = Array.from({ length: clients + 1 }, (_, index) => ({
    id: guid(1, index),
    appId: guid(2, index),
    displayName: index === clients ? 'Orders' : `Client ${index}`,
    identifierUris: index === clients ? [`api://${guid(2, index)}`] : [],
    appRoles: index === clients ? [appRole] : [],
    requiredResourceAccess:
      index === clients
        ? []
        : [
            {
              resourceAppId: guid(2, clients),
              resourceAccess: [{ id: roleId, type: 'Role' }],
            },
          ],
    passwordCredentials: [],
    keyCredentials: [],
    federatedIdentityCredentials: [],
  }))
  return {
    tenantId: guid(9, 0),
    applications,
    servicePrincipals: applications.map(({ appId, displayName, appRoles }, index) => ({
      id: guid(3, index),
      appId,
      displayName,
      servicePrincipalNames: [],
      appRoles,
    })),
    assignments: Array.from({ length: clients }, (_, index) => ({
      id: guid(4, index),
      principalId: guid(3, index),
      resourceId: guid(3, clients),
      appRoleId: roleId,
    })),
  }
}

const few = 50
const times = 8

describe('the reads of file and directory grow in proportion to the clients', () => {
  const rows: [string, (clients: number) => number][] = [
    ['planning for an empty directory', (clients) => readsOfPlan(clients, emptyState)],
    ['planning for a complete directory', (clients) => readsOfPlan(clients, stateOf(clients))],
    [
      'exporting a directory',
      (clients) => {
        const { value, counts } = countedReads(stateOf(clients))
        assert.equal((exportRegistrations(value).file.clients as unknown[]).length, clients)
        return counts.reads
      },
    ],
  ]
  for (const [title, readsOf] of rows) {
    it(`when ${title}`, () => {
      const growth = readsOf(few * times) / readsOf(few)
      assert.ok(growth < times * 1.1, `${times} times the clients need ${growth} times the reads`)
    })
  }
})

function readsOfPlan(clients: number, state: DirectoryState): number {
  const { value, counts } = countedReads({ file: fileOf(clients), state })
  const { file } = value
  assert.deepEqual(planRegistrations({ file, state: value.state, now }).faults, [])
  return counts.reads
}
