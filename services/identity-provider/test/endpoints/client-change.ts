import { type Application, put } from '@greeting/directory'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { apiId, clientId, type TestService } from './test-service.ts'

/** Changes the client's registration, without validation. */
export async function changeClient(
  service: TestService,
  part: Partial<Application>,
): Promise<void> {
  const application = (await wholeDirectory(service.store)).applicationByAppId(clientId)
  if (application) await service.change(put('application', { ...application, ...part }))
}

/** Changes the API's registration, without validation. */
export async function changeApi(service: TestService, part: Partial<Application>): Promise<void> {
  const application = (await wholeDirectory(service.store)).applicationByAppId(apiId)
  if (application) await service.change(put('application', { ...application, ...part }))
}
