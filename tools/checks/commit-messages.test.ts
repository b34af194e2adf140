import assert from 'node:assert/strict'
import { it } from 'node:test'
import { faultsOf } from './commit-messages.ts'

for (const [message, fault] of [
  ['idp: answer a wrong secret with 401\n\nRFC 6749 says so.\n', undefined],
  ['idp: ETag of an empty list\n\nClients compare it.', undefined],
  ['answer a wrong secret with 401\n\nRFC 6749 says so.', /not "scope: imperative"/],
  ['idp: Answer a wrong secret with 401\n\nRFC 6749 says so.', /not "scope: imperative"/],
  ['house: answer a wrong secret with 401\n\nRFC 6749 says so.', /"house" is not one of guard,/],
  [`idp: ${'answer '.repeat(10)}\n\nRFC 6749 says so.`, /has 75 characters, and at most 72/],
  ['idp: answer a wrong secret with 401.\n\nRFC 6749 says so.', /full stop/],
  ['idp: answer a wrong secret with 401\nRFC 6749 says so.', /no blank line/],
  ['idp: answer a wrong secret with 401\n\n', /body .* is missing/],
] as const)
  it(`the check finds ${fault ?? 'no fault'} in the commit message ${JSON.stringify(message.slice(0, 40))}`, () => {
    if (fault === undefined) assert.deepEqual(faultsOf(message), [])
    else assert.match(faultsOf(message).join(), fault)
  })
