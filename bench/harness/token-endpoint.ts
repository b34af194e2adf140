import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender, Lab } from './contender.ts'
import { type IssuanceFault, proofOfIssuance } from './issuance-proof.ts'
import { beginLoad } from './measurement.ts'

/** A started authorization server: where it is asked, with what, and where its keys are. */
export type RunningIssuer = {
  readonly tokenEndpoint: string
  readonly keySetUrl: string
  /** The form of the client-credentials request that is granted. */
  readonly form: Readonly<Record<string, string>>
  readonly pid: number
  stop(): Promise<void>
}

type Row = Omit<Contender, 'group' | 'start' | 'tokens'> & {
  readonly serverCores: 1 | 2
  /** What the proof finds in it and its title admits. */
  readonly knownFor?: readonly IssuanceFault[]
  start(lab: Lab, cores: readonly number[]): Promise<RunningIssuer>
}

/** A row that measures client-credentials requests at one authorization server. */
export function tokenEndpoint({ serverCores, knownFor = [], start, ...row }: Row): Contender {
  return {
    ...row,
    group: 'token endpoint',
    tokens: 'none',
    start: async (lab) => {
      const issuer = await start(lab, lab.cores(serverCores).server)
      const form = await formFile(issuer.form, lab.folder)
      const request = { url: issuer.tokenEndpoint, form }
      return {
        prove: async () =>
          (await proofOfIssuance(issuer)).filter((fault) => !knownFor.includes(fault)),
        load: (_, pace) => beginLoad({ serverCores, pid: issuer.pid, request }, lab, pace),
        stop: issuer.stop,
      }
    },
  }
}

/** Writes a form to a file: the load generator must not have a secret among its arguments. */
async function formFile(form: RunningIssuer['form'], folder: string): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'form-')), 'body')
  await writeFile(file, new URLSearchParams(form).toString(), { mode: 0o600 })
  return file
}
