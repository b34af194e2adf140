import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../test/fixtures/free-port.ts'
import { mustRun } from '../../test/packages/program.ts'
import { type Running, startProcess } from './process.ts'

const modules = join(import.meta.dirname, '../checks/kubernetes')
const [, locked = ''] =
  /k8s\.io\/kubernetes v([\d.]+)/.exec(readFileSync(join(modules, 'go.mod'), 'utf8')) ?? []

/** The version of the API server, as its modules are locked. */
export const serverVersion = locked

const maxOutputBytes = 64 * 1024 * 1024

/** The custom resources of which the chart has objects. */
const definitions = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    sum: 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    files: ['servicemonitors', 'prometheusrules'].map(
      (kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
    ),
  },
]

/** An API server of Kubernetes with etcd, on loopback. It has no controllers and no kubelets, so no pod starts. */
export class ApiServer implements AsyncDisposable {
  readonly #folder: string
  readonly #processes: Running[] = []

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Builds the server if the cache has none, starts it, and adds the custom resources. */
  static async start(root: string): Promise<ApiServer> {
    const program = builtServer()
    const server = new ApiServer(mkdtempSync(join(tmpdir(), 'greeting-kubernetes-')))
    try {
      await server.#startEtcdAnd(program)
      for (const file of definitionFiles(root)) await server.apply(file)
      await server.run('kubectl', ['wait', '--for=condition=Established', 'crd', '--all'])
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
  }

  async #startEtcdAnd(program: string): Promise<void> {
    const file = (name: string) => join(this.#folder, name)
    const [etcd, peer, port] = [await freePort(), await freePort(), await freePort()]
    const url = `http://127.0.0.1:${etcd}`
    const etcdFlags = {
      'data-dir': file('etcd'),
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': `http://127.0.0.1:${peer}`,
    }
    const health = () => fetch(`${url}/health`).then(Boolean, () => false)
    this.#processes.push(
      await startProcess(['etcd', ...flagsOf(etcdFlags)], {}, { isReady: health }),
    )

    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const token = randomBytes(16).toString('hex')
    const mode = 0o600
    writeFileSync(file('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode,
    })
    writeFileSync(file('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
    writeFileSync(file('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode })
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'check',
          cluster: {
            server: `https://127.0.0.1:${port}`,
            'certificate-authority': file('certificates/apiserver.crt'),
          },
        },
      ],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'check', context: { cluster: 'check', user: 'admin' } }],
      'current-context': 'check',
    }
    writeFileSync(file('config.json'), JSON.stringify(config), { mode })
    const flags = {
      'etcd-servers': url,
      'secure-port': port,
      'bind-address': '127.0.0.1',
      'cert-dir': file('certificates'),
      'token-auth-file': file('tokens.csv'),
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': file('accounts.pub'),
      'service-account-signing-key-file': file('accounts.key'),
      'authorization-mode': 'Node,RBAC',
      'service-cluster-ip-range': '10.96.0.0/16',
    }
    const isReady = () =>
      this.run('kubectl', ['get', '--raw', '/readyz']).then(Boolean, () => false)
    this.#processes.push(await startProcess([program, ...flagsOf(flags)], {}, { isReady }))
  }

  /**
   * Runs a client of the server, and returns its output.
   *
   * @throws {Error} with the message of the client
   */
  async run(program: 'kubectl' | 'helm', args: readonly string[]): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      HOME: this.#folder,
      KUBECONFIG: join(this.#folder, 'config.json'),
    }
    const options = { env, maxBuffer: maxOutputBytes }
    // Not spawnSync: the output of the server must be read meanwhile.
    return (await promisify(execFile)(program, args, options)).stdout
  }

  /** Applies a file with strict validation. A warning is an error. */
  apply(file: string, ...options: readonly string[]): Promise<string> {
    const strict = ['--server-side', '--validate=strict', '--warnings-as-errors']
    return this.run('kubectl', ['apply', ...strict, '--filename', file, ...options])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#processes.toReversed()) await one.stop()
    rmSync(this.#folder, { recursive: true })
  }
}

const flagsOf = (flags: Readonly<Record<string, string | number>>) =>
  Object.entries(flags).map(([name, value]) => `--${name}=${value}`)

function builtServer(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'greeting-checks')
  const file = join(cache, `kube-apiserver-${serverVersion}`)
  if (existsSync(file)) return file
  mkdirSync(cache, { recursive: true })
  process.stderr.write(`go builds ${file} once, which takes some minutes\n`)
  const linker = `-s -w -X k8s.io/component-base/version.gitVersion=v${serverVersion}`
  const args = ['build', '-mod=readonly', '-ldflags', linker, '-o', `${file}.new`]
  mustRun('go', [...args, 'k8s.io/kubernetes/cmd/kube-apiserver'], modules)
  renameSync(`${file}.new`, file)
  return file
}

function definitionFiles(root: string): string[] {
  return definitions.flatMap(({ module, sum, files }) => {
    const { Dir, Sum } = JSON.parse(mustRun('go', ['mod', 'download', '-json', module], root))
    if (Sum !== sum) throw new Error(`${module} has the hash ${Sum}, not ${sum}`)
    return files.map((file) => join(Dir, file))
  })
}
