import { type RunningServer, startServer } from '../harness/child-processes.ts'
import { runtimes, serverFile } from '../harness/programs.ts'
import type { Setup } from '../harness/setup.ts'

/** Starts a file of `servers/`, named without its extension, with its environment. */
export function startPeer(
  file: string,
  { fixture, keySet, folder }: Setup,
  cores: readonly number[],
): Promise<RunningServer> {
  const environment = {
    KEY_SET_URL: keySet.url,
    ISSUER: fixture.issuer,
    AUDIENCE: fixture.audience,
    ROLE: fixture.role,
    CLIENT_ID: fixture.clientId,
    CLIENT_SECRET: fixture.clientSecret,
  }
  const command = [...runtimes.node, serverFile(`${file}.ts`)]
  return startServer({ command, environment, folder }, cores)
}
