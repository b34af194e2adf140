import assert from 'node:assert/strict'
import { sampleFile } from '@greeting/registrations/samples'
import type { Closing } from '../../fakes/servers.ts'
import { ServedGraph } from './served-graph.ts'

/** A directory to which the sample file was applied, and the path of that file. */
export async function applied(test: Closing) {
  const served = await ServedGraph.start(test)
  const path = await served.file(sampleFile())
  const { code, err } = await served.run(['apply', path])
  assert.equal(code, 0, err)
  return { served, path }
}
