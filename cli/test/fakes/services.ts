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
