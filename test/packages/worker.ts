import { join } from 'node:path'
import { build } from 'esbuild'
import type { Consumer } from './consumer.ts'

/** The flags with which the packages are tested on workerd. */
export const workerFlags = { 'with nodejs_compat': ['nodejs_compat'], 'without nodejs_compat': [] }

/**
 * Bundles a worker of a consumer, and writes its configuration for workerd.
 *
 * @param entry the file of the worker
 * @param authority the file of a certificate that the worker trusts, in the folder of the consumer
 * @returns the path of the configuration
 */
export async function writeWorker(
  consumer: Consumer,
  entry: string,
  flags: readonly string[],
  authority?: string,
): Promise<string> {
  const name = ['worker', ...flags].join('-')
  await build({
    entryPoints: [join(consumer.folder, entry)],
    outfile: join(consumer.folder, `${name}.js`),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*'],
    logLevel: 'error',
  })
  return consumer.write(
    `${name}.capnp`,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "${name}.js")],
      compatibilityDate = "2026-07-01",
      compatibilityFlags = [${flags.map((flag) => `"${flag}"`).join(', ')}],
    )),
    (name = "internet", network = (allow = ["public", "private"]${tlsOf(authority)})),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  )
}

const tlsOf = (authority: string | undefined) =>
  authority === undefined
    ? ''
    : `, tlsOptions = (trustBrowserCas = true, trustedCertificates = [embed "${authority}"])`
