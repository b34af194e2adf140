import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DeclaredRoles } from '../../src/token/declared-roles.ts'

const roles = new DeclaredRoles(['Read', 'Write', 'Read Write'])

describe('the declared roles in a token', () => {
  const rows: [claim: unknown, granted: string[]][] = [
    [['Read'], ['Read']],
    [['Write'], ['Write']],
    [
      ['Write', 'Read'],
      ['Read', 'Write'],
    ],
    [['Read Write'], ['Read Write']],
    [['Read', 'Read'], ['Read']],
    [['Read', 'Delete'], ['Read']],
    [['read', 'Read ', 'Rea'], []],
    [[], []],
    [['Read', 1], []],
    [['Read', null], []],
    [[['Read']], []],
    ['Read', []],
    [{ 0: 'Read', length: 1 }, []],
    [undefined, []],
    [null, []],
  ]
  for (const [claim, granted] of rows) {
    it(`from ${JSON.stringify(claim)} are ${JSON.stringify(granted)}, even after other claims`, () => {
      assert.deepEqual(roles.rolesIn(claim), granted)
      assert.deepEqual(roles.rolesIn(claim), granted)
    })
  }

  it('share one frozen array between all tokens with the same roles', () => {
    const list = roles.rolesIn(['Read', 'Write'])
    assert.ok(Object.isFrozen(list))
    assert.equal(roles.rolesIn(['Write', 'Else', 'Read']), list)
    assert.ok(Object.isFrozen(roles.rolesIn('none')))
  })

  it('are cached in at most a hundred arrays', () => {
    const many = new DeclaredRoles(Array.from({ length: 101 }, (_, index) => `${index}`))
    const first = many.rolesIn(['0'])
    for (let index = 1; index < 100; index += 1) many.rolesIn([`${index}`])
    assert.equal(many.rolesIn(['0']), first)
    many.rolesIn(['100'])
    assert.notEqual(many.rolesIn(['0']), first)
    assert.deepEqual(many.rolesIn(['0']), first)
  })

  it('do not change with the array that declares them', () => {
    const names = ['Read']
    const declared = new DeclaredRoles(names)
    names.push('Write')
    assert.deepEqual(declared.rolesIn(['Read', 'Write']), ['Read'])
    assert.ok(Object.isFrozen(declared.names))
  })
})
