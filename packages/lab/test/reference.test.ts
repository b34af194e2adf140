import { it } from 'node:test'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import * as reference from './reference.ts'

it(`${reference.file} lists the tables of the lab`, () => {
  assertGenerated(reference)
})
