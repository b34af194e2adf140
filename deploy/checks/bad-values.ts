/** A wrong chart value, and a part of the message that the operator gets. */
export type BadValue = {
  readonly problem: string
  /** Arguments of `--set`, on top of the minimal example. */
  readonly set: readonly string[]
  readonly message: string
  /** Whether values.schema.json finds it; otherwise a template does. */
  readonly bySchema: boolean
}

export const badValues: readonly BadValue[] = [
  {
    problem: 'a value of the wrong type',
    set: ['identityProvider.replicas=two'],
    message: "at '/identityProvider/replicas': got string, want integer",
    bySchema: true,
  },
  {
    problem: 'an unknown value',
    set: ['identityProvider.replica=3'],
    message: "additional properties 'replica' not allowed",
    bySchema: true,
  },
  {
    problem: 'an origin with a slash at its end',
    set: ['identityProvider.authUrl=https://login.example.com/'],
    message: "at '/identityProvider/authUrl'",
    bySchema: true,
  },
  {
    problem: 'a secret among the settings',
    set: ['identityProvider.settings.DATABASE_URL=postgres://example'],
    message: "invalid propertyName 'DATABASE_URL'",
    bySchema: true,
  },
  {
    problem: 'a boolean among the settings',
    set: ['identityProvider.settings.PORTAL=true'],
    message: "at '/identityProvider/settings/PORTAL'",
    bySchema: true,
  },
  {
    problem: 'a tenant that is no GUID',
    set: ['api.tenantId=contoso'],
    message: "at '/api/tenantId'",
    bySchema: true,
  },
  {
    problem: 'a collector without a scheme',
    set: ['tracing.endpoint=collector:4318'],
    message: "at '/tracing/endpoint'",
    bySchema: true,
  },
  {
    problem: 'a secret for the collector among the settings',
    set: ['identityProvider.settings.OTEL_EXPORTER_OTLP_HEADERS=key=x'],
    message: "invalid propertyName 'OTEL_EXPORTER_OTLP_HEADERS'",
    bySchema: true,
  },
  {
    problem: 'a port of the chart among the settings',
    set: ['identityProvider.settings.PORT=8080'],
    message: "invalid propertyName 'PORT'",
    bySchema: true,
  },
  {
    problem: 'a misspelt setting',
    set: ['identityProvider.settings.TRUSTED_PROXYS=10.0.0.1'],
    message: "invalid propertyName 'TRUSTED_PROXYS'",
    bySchema: true,
  },
  {
    problem: 'a setting of the other service',
    set: ['api.settings.TRUSTED_PROXIES=10.0.0.1'],
    message: "invalid propertyName 'TRUSTED_PROXIES'",
    bySchema: true,
  },
  {
    problem: 'a label that selects the pods',
    set: ['identityProvider.podLabels.app\\.kubernetes\\.io/component=web'],
    message: "invalid propertyName 'app.kubernetes.io/component'",
    bySchema: true,
  },
  {
    problem: 'a misspelt limit',
    set: ['identityProvider.resources.limit.memory=1Gi'],
    message: "additional properties 'limit' not allowed",
    bySchema: true,
  },
  {
    problem: 'a name of more than 37 characters',
    set: ['fullnameOverride=nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'],
    message: "at '/fullnameOverride'",
    bySchema: true,
  },
  {
    problem: 'an origin without TLS',
    set: ['identityProvider.authUrl=http://login.example.com'],
    message: "at '/identityProvider/authUrl'",
    bySchema: true,
  },
  {
    problem: 'an Ingress for another host than the origin',
    set: ['identityProvider.ingress.host=auth.example.com'],
    message: 'identityProvider.authUrl has the host login.example.com, which no ingress.host',
    bySchema: false,
  },
  {
    problem: 'more pods at least than at most',
    set: [
      'identityProvider.autoscaling.enabled=true',
      'identityProvider.autoscaling.minReplicas=9',
    ],
    message: 'identityProvider.autoscaling.minReplicas is more than maxReplicas.',
    bySchema: false,
  },
  {
    problem: 'a credential in a variable',
    set: [
      'identityProvider.extraEnv[0].name=LAB_CLIENT_SECRET',
      'identityProvider.extraEnv[0].value=x',
    ],
    message: "missing property 'valueFrom'",
    bySchema: true,
  },
  {
    problem: 'a port of the image in a variable',
    set: ['identityProvider.extraEnv[0].name=PORT', 'identityProvider.extraEnv[0].value=x'],
    message: "at '/identityProvider/extraEnv/0/name'",
    bySchema: true,
  },
  {
    problem: 'a container without an image',
    set: ['identityProvider.sidecars[0].name=proxy'],
    message: "missing property 'image'",
    bySchema: true,
  },
  {
    problem: 'an unknown type of Service',
    set: ['identityProvider.service.type=Public'],
    message: "at '/identityProvider/service/type'",
    bySchema: true,
  },
  {
    problem: 'a backup by name of the day',
    set: ['identityProvider.backup.schedule=daily'],
    message: "at '/identityProvider/backup/schedule'",
    bySchema: true,
  },
  {
    problem: 'a variable that a setting has too',
    set: [
      'identityProvider.settings.LOG_LEVEL=info',
      'identityProvider.extraEnv[0].name=LOG_LEVEL',
      'identityProvider.extraEnv[0].value=warn',
    ],
    message: 'extraEnv has LOG_LEVEL, which settings or the chart set too.',
    bySchema: false,
  },
  {
    problem: 'two sources of private authorities',
    set: [
      'trustBundle.configMapName=authorities',
      'identityProvider.settings.NODE_EXTRA_CA_CERTS=/ca.crt',
    ],
    message: 'NODE_EXTRA_CA_CERTS and trustBundle.configMapName exclude each other.',
    bySchema: false,
  },
  {
    problem: 'no service at all',
    set: ['identityProvider.enabled=false'],
    message: 'Enable one of them.',
    bySchema: false,
  },
  {
    problem: 'no database',
    set: ['identityProvider.database.secretName='],
    message:
      'identityProvider.database.secretName is missing. Name an existing Secret with the address of PostgreSQL.',
    bySchema: false,
  },
  {
    problem: 'no key-encryption key',
    set: ['identityProvider.keyEncryptionKey.secretName='],
    message: 'identityProvider.keyEncryptionKey.secretName is missing.',
    bySchema: false,
  },
  {
    problem: 'no origin',
    set: ['identityProvider.authUrl='],
    message: 'identityProvider.authUrl is missing. Set the public origin',
    bySchema: false,
  },
  {
    problem: 'an API without its registration',
    set: ['api.enabled=true'],
    message: "api.applicationId is missing. Set the application ID of the API's registration.",
    bySchema: false,
  },
  {
    problem: 'an Ingress without a host',
    set: ['identityProvider.ingress.host='],
    message: 'identityProvider.ingress.host is missing. Set the public host name.',
    bySchema: false,
  },
]
