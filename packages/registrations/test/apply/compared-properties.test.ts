import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { firstDirectory } from '../../../../test/fixtures/graph/first-start.ts'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import { readWholeDirectory } from '../../src/apply/read-directory.ts'
import { type ComparedName, comparedProperties } from '../../src/compared-properties.ts'
import { exportRegistrations } from '../../src/planning/export.ts'

/** The values of a form: all of a choice, or two texts. */
function valuesOf(form: z.ZodType): unknown[] {
  const { enum: choices, type } = z.toJSONSchema(form)
  return choices ?? (type === 'boolean' ? [true, false] : ['one text', 'another text'])
}

const rows = Object.entries(comparedProperties).flatMap(([name, { entry, initial }]) =>
  valuesOf(entry).map((value, at, all) => {
    return { name: name as ComparedName, initial, value, before: all.at(at - 1) }
  }),
)

const fileWith = (name: ComparedName, value: unknown) => {
  const role = { value: 'Orders.Read', displayName: 'Read orders', description: 'Reads orders.' }
  return { apis: [{ displayName: 'Orders API', appRoles: [role], [name]: value }] }
}

type State = Parameters<typeof exportRegistrations>[0]

function exported(state: State) {
  const { file } = exportRegistrations(state, { names: ['Orders API'] })
  return file as { readonly apis: readonly [Readonly<Record<string, unknown>>] }
}

describe('a registrations file keeps a compared property', () => {
  for (const { name, initial, value, before } of rows) {
    it(`from plan to export: ${name} ${value}`, async () => {
      const fixture = await GraphFixture.start()
      await fixture.apply(fileWith(name, before))
      const { stopped } = await fixture.apply(fileWith(name, value))
      assert.equal(stopped, undefined)
      const { TENANT_ID } = fixture.tenant.administrator
      const file = exported(await readWholeDirectory(fixture.graph, TENANT_ID))
      assert.equal(file.apis[0][name] ?? initial, value)
      assert.deepEqual((await fixture.plan(file)).changes, [])
    })

    it(`in a new application: ${name} ${value}`, async () => {
      const fixture = await GraphFixture.start()
      await fixture.apply(fileWith(name, value))
      const { TENANT_ID } = fixture.tenant.administrator
      const file = exported(await readWholeDirectory(fixture.graph, TENANT_ID))
      assert.equal(file.apis[0][name] ?? initial, value)
    })

    it(`from the first start to export: ${name} ${value}`, async () => {
      const file = exported(await firstDirectory(fileWith(name, value)))
      assert.equal(file.apis[0][name] ?? initial, value)
    })
  }
})
