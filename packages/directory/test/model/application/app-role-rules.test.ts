import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appRole, guid } from '../../../../../test/fixtures/directory/sample.ts'
import type { AppRole } from '../../../src/model/application/app-role.ts'
import { judgeAppRoleChange, judgeAppRoles } from '../../../src/model/application/app-role-rules.ts'

const issuesOf = (roles: AppRole[]) =>
  judgeAppRoles(roles).map(({ path, message }) => `${path.join('.')} ${message}`)

describe('app roles', () => {
  it('are accepted if they follow every rule, even without a value', () => {
    const allCharacters = "aZ09:!#$%&'()*+,-./;<=>?@[]^_`{|}~"
    const roles = [
      appRole(),
      appRole({ id: guid(2), value: allCharacters }),
      appRole({ id: guid(3), value: null }),
      appRole({ id: guid(4), value: null }),
      appRole({ id: guid(5), value: 'x'.repeat(249), allowedMemberTypes: ['User', 'Application'] }),
    ]
    assert.deepEqual(issuesOf(roles), [])
  })

  const refused: [string, Partial<AppRole>, RegExp][] = [
    ['an ID that is not a GUID', { id: 'hi' }, /^0\.id must be a GUID$/],
    ['no member types', { allowedMemberTypes: [] }, /^0\.allowedMemberTypes must name/],
    ['an empty name', { displayName: ' ' }, /^0\.displayName must not be empty/],
    ['a name of 101 characters', { displayName: 'x'.repeat(101) }, /^0\.displayName .*100/],
    ['an empty description', { description: '' }, /^0\.description must not be empty/],
    ['a space in the value', { value: 'Call Hi' }, /^0\.value must not contain spaces$/],
    ['a character that is not allowed', { value: 'Grüßen' }, /^0\.value must be made of/],
    ['an empty value', { value: '' }, /^0\.value must be made of/],
    ['a leading dot', { value: '.Hi' }, /^0\.value must not start with a dot$/],
    ['a value of 250 characters', { value: 'x'.repeat(250) }, /^0\.value .*249/],
  ]
  for (const [what, part, expected] of refused) {
    it(`are refused for ${what}, and the error names the property`, () => {
      const faults = issuesOf([appRole(part)])
      assert.equal(faults.length, 1)
      assert.match(faults[0] ?? '', expected)
    })
  }

  it('are refused for a duplicate ID, even in another case, and for a duplicate value', () => {
    const id = guid(0xabc)
    const faults = issuesOf([appRole({ id }), appRole({ id: id.toUpperCase() })])
    assert.match(faults[0] ?? '', /^1\.id must be unique/)
    assert.match(faults[1] ?? '', /^1\.value must be unique .*"CallHiApiRole"/)
  })

  const kept: [string, AppRole[]][] = [
    ['is unchanged', [appRole()]],
    ['has another description', [appRole({ description: 'Says hi.' })]],
    ['is disabled', [appRole({ isEnabled: false })]],
  ]
  for (const [what, after] of kept) {
    it(`allow a change after which an enabled role ${what}`, () => {
      assert.deepEqual(judgeAppRoleChange([appRole()], after), [])
    })
  }

  const lost: [string, AppRole[]][] = [
    ['removed', []],
    ['changed to another value', [appRole({ value: 'CallHelloApiRole' })]],
  ]
  for (const [what, after] of lost) {
    it(`must be disabled before one is ${what}`, () => {
      const [fault] = judgeAppRoleChange([appRole()], after)
      assert.equal(fault?.code, 'enabled_role')
      assert.deepEqual(judgeAppRoleChange([appRole({ isEnabled: false })], after), [])
    })
  }
})
