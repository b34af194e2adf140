import { it } from 'node:test'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import * as reference from './reference.ts'

it(`${reference.file} has the commands of the code`, () => {
  assertGenerated(reference)
})
