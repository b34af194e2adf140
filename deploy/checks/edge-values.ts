/** Values that are rare but valid: the API server must accept what the chart renders from them. */
export type EdgeValues = {
  readonly title: string
  /** The example to which they are added. */
  readonly example: string
  /** Arguments of `--set-json`. */
  readonly set: readonly string[]
  /** Lines of the objects, and how often each occurs. */
  readonly lines?: Readonly<Record<string, number>>
  /** The name of the release; default: greeting. */
  readonly release?: string
}

const container = (name: string, more = '') =>
  `{"name":"${name}","image":"example"${more},"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}`

export const edgeValues: readonly EdgeValues[] = [
  {
    title: 'the longest name of a release',
    example: 'production.yaml',
    set: [],
    lines: {
      'secret: { secretName: greeting-clients, optional: true, items: [{ key: seeded.json, path: seeded.json }] }': 1,
    },
    release: 'r'.repeat(53),
  },
  {
    title: 'the longest name of the chart',
    example: 'production.yaml',
    set: [`nameOverride="${'n'.repeat(40)}"`],
  },
  {
    title: 'labels, annotations and a place for the pods',
    example: 'minimal.yaml',
    set: [
      'identityProvider.podLabels={"team":"identity","azure.workload.identity/use":"true"}',
      'identityProvider.podAnnotations={"example.com/number":"5"}',
      'identityProvider.serviceAccount.annotations={"eks.amazonaws.com/role-arn":"arn:aws:iam::1:role/x"}',
      'identityProvider.nodeSelector={"kubernetes.io/arch":"arm64"}',
      'identityProvider.tolerations=[{"key":"spot","operator":"Exists","effect":"NoSchedule"}]',
      'identityProvider.affinity={"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"In","values":["a"]}]}]}}}',
    ],
  },
  {
    title: 'numbers among the settings',
    example: 'minimal.yaml',
    set: [
      'identityProvider.settings={"MAX_SIGN_IN_RECORDS":10000000,"LOG_LEVEL":"warn","TRUSTED_PROXIES":"10.0.0.0/8"}',
    ],
  },
  {
    title: 'traces to a collector with TLS',
    example: 'minimal.yaml',
    set: ['tracing={"endpoint":"https://collector.example.com","sampleRatio":0.00001}'],
  },
  {
    title: 'peers by address, and no other way out',
    example: 'production.yaml',
    set: [
      'identityProvider.networkPolicy={"from":[{"ipBlock":{"cidr":"10.0.0.0/8"}}],"metricsFrom":[],"egressPorts":[]}',
    ],
  },
  {
    title: 'a private registry, and an Ingress with annotations',
    example: 'minimal.yaml',
    set: [
      'imagePullSecrets=["registry"]',
      'identityProvider.image={"repository":"registry.example.com:5000/team/identity","tag":"0.2.0"}',
      'identityProvider.ingress.className=""',
      'identityProvider.ingress.annotations={"cert-manager.io/cluster-issuer":"public"}',
    ],
  },
  {
    title: 'variables, files and containers of the operator, also in the job',
    example: 'minimal.yaml',
    set: [
      'identityProvider.extraEnv=[{"name":"LAB_CLIENT_SECRET","valueFrom":{"secretKeyRef":{"name":"lab","key":"secret"}}}]',
      'identityProvider.envFrom=[{"secretRef":{"name":"more-variables"}}]',
      'identityProvider.extraVolumes=[{"name":"sockets","emptyDir":{}}]',
      'identityProvider.extraVolumeMounts=[{"name":"sockets","mountPath":"/sockets"}]',
      `identityProvider.initContainers=[${container('database-proxy', ',"restartPolicy":"Always"')}]`,
      `identityProvider.sidecars=[${container('log-shipper')}]`,
      'identityProvider.podSecurityContext={"fsGroup":1000}',
      'identityProvider.containerSecurityContext={"runAsUser":1000}',
      'identityProvider.priorityClassName="system-cluster-critical"',
      'identityProvider.revisionHistoryLimit=3',
    ],
    lines: {
      'name: LAB_CLIENT_SECRET': 2,
      'name: more-variables': 2,
      'name: sockets': 4,
      'name: database-proxy': 2,
      'name: log-shipper': 1,
      'fsGroup: 1000': 3,
      'runAsUser: 1000': 3,
      // The values of an operator add to these two.
      'runAsNonRoot: true': 3,
      'priorityClassName: system-cluster-critical': 3,
      'revisionHistoryLimit: 3': 1,
    },
  },
  {
    title: 'hosts, paths and certificates of an Ingress, a public Service and an existing account',
    example: 'minimal.yaml',
    set: [
      'identityProvider.ingress.hosts=[{"host":"*.example.com","paths":[{"path":"/health","pathType":"Exact"}]}]',
      'identityProvider.ingress.tls=[{"secretName":"wildcard-tls","hosts":["*.example.com"]}]',
      'identityProvider.service={"type":"LoadBalancer","annotations":{"example.com/internal":"true"}}',
      // The account of the job exists here.
      'identityProvider.serviceAccount.name="greeting-bootstrap"',
      'identityProvider.networkPolicy.egressTo=[{"ipBlock":{"cidr":"10.1.0.0/16"}}]',
    ],
    lines: {
      'path: /health': 1,
      'path: /': 1,
      'pathType: Exact': 1,
      'secretName: wildcard-tls': 1,
      'type: LoadBalancer': 1,
      'example.com/internal: "true"': 1,
      'serviceAccountName: greeting-bootstrap': 3,
      'kind: ServiceAccount': 1,
      'cidr: 10.1.0.0/16': 2,
    },
  },
  {
    title: 'backups in an existing claim, with a group of their own',
    example: 'minimal.yaml',
    set: [
      'identityProvider.backup={"enabled":true,"existingClaim":"shared"}',
      'identityProvider.podSecurityContext.fsGroup=2000',
    ],
    lines: {
      'persistentVolumeClaim: { claimName: shared }': 1,
      'kind: PersistentVolumeClaim': 0,
      'value: "/backup/greeting"': 1,
      'fsGroup: 2000': 4,
    },
  },
  {
    title: 'private authorities, a client certificate and the longest full name',
    example: 'production.yaml',
    set: [
      'trustBundle.configMapName="authorities"',
      'identityProvider.database.clientCertificateSecretName="database-client"',
      `fullnameOverride="${'n'.repeat(37)}"`,
    ],
  },
  {
    title: 'one pod, no job, no budget and no policy',
    example: 'minimal.yaml',
    set: [
      'identityProvider.replicas=1',
      'identityProvider.bootstrap.enabled=false',
      'identityProvider.podDisruptionBudget.enabled=false',
      'identityProvider.networkPolicy.enabled=false',
      'identityProvider.ingress.enabled=false',
    ],
  },
]
