/** Values that are rare and right: the API server must accept what the chart makes of them. */
export type EdgeValues = {
  readonly title: string
  /** The example to which they are added. */
  readonly example: string
  /** Arguments of `--set-json`. */
  readonly set: readonly string[]
  /** The name of the release; default: greeting. */
  readonly release?: string
}

export const edgeValues: readonly EdgeValues[] = [
  {
    title: 'the longest name of a release',
    example: 'production.yaml',
    set: [],
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
      'identityProvider.settings={"MAX_SIGN_IN_RECORDS":10000000,"WORKERS":2,"TRUSTED_PROXIES":"10.0.0.0/8"}',
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
