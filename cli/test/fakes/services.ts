import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Services } from '../../src/system/services.ts'
import { services } from '../../src/system/services.ts'
import { runFakeApi } from './greeting-api.ts'
import { runFakeProvider } from './identity-provider.ts'

/** Small fakes of the services of this repository. */
export const fakeServices: Services = {
  ...services,
  identityProvider: { ...services.identityProvider, load: async () => runFakeProvider },
  greetingApi: { ...services.greetingApi, load: async () => runFakeApi },
}

/** A folder that is removed after the test. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-cli-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
