import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseRegistrations } from '../../../../packages/registrations/src/index.ts'
import { registrationsOf } from '../../../growth/cases/registrations.ts'

it('a file of many clients is a valid registrations file', () => {
  const { clients, consents } = parseRegistrations(JSON.stringify(registrationsOf(3)))
  assert.equal(clients.length, 3)
  assert.equal(consents?.length, 3)
})
