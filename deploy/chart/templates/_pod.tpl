{{- /* What the pods of a service and of its jobs have alike. */}}
{{- define "greeting.pod" -}}
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext: {{- toYaml .values.podSecurityContext | nindent 2 }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.initContainers }}
initContainers: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* What their containers have alike. */}}
{{- define "greeting.container" -}}
image: {{ include "greeting.image" . }}
imagePullPolicy: {{ .values.image.pullPolicy }}
env: {{- include "greeting.environment" . | trim | nindent 2 }}
{{- with .values.envFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
resources: {{- toYaml .values.resources | nindent 2 }}
securityContext: {{- toYaml .values.containerSecurityContext | nindent 2 }}
{{- with include "greeting.volumeMounts" . | trim }}
volumeMounts: {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Settings as environment variables, in the order of their names. A number of a values file is a float: 5000000 would be 5e+06. */}}
{{- define "greeting.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ if and (kindIs "float64" $value) (eq (floor $value) $value) }}{{ printf "%.0f" $value | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- end }}

{{- /* Settings of both services for traces; none without a collector. */}}
{{- define "greeting.tracing" -}}
{{- with .Values.tracing }}
{{- if .endpoint }}
{{- include "greeting.settings" (dict "OTEL_EXPORTER_OTLP_ENDPOINT" .endpoint "OTEL_TRACES_SAMPLER_ARG" .sampleRatio) }}
{{- if .headers.secretName }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef: { name: {{ .headers.secretName }}, key: {{ .headers.key }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The port of the collector. */}}
{{- define "greeting.tracingPort" -}}
{{- $url := urlParse .Values.tracing.endpoint }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{- end }}

{{- /* The variables of a container. None may be set twice: the API server refuses that at an upgrade. */}}
{{- define "greeting.environment" }}
{{- $own := include "greeting.ownEnvironment" . }}
{{- $names := list }}
{{- range concat (fromYamlArray $own) .values.extraEnv }}
{{- if has .name $names }}{{ fail (printf "\nextraEnv has %s, which settings or the chart set too." .name) }}{{ end }}
{{- $names = append $names .name }}
{{- end }}
{{- $own }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* `settings` replaces the variables of `defaults`, and `fixed` both. */}}
{{- define "greeting.ownEnvironment" }}
{{- $own := dict }}
{{- $idp := .root.Values.identityProvider }}
{{- if hasKey .values "database" }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .values.database.secretName }}, key: {{ .values.database.key }} }
- name: KEY_ENCRYPTION_KEY
  valueFrom:
    secretKeyRef: { name: {{ .values.keyEncryptionKey.secretName }}, key: {{ .values.keyEncryptionKey.key }} }
{{- $own = dict "AUTH_URL" $idp.authUrl "ISSUER_URL" $idp.authUrl }}
{{- if .values.registrations.configMapName }}{{ $own = set $own "REGISTRATIONS" "/registrations/registrations.json" }}{{ end }}
{{- else }}
{{- $own = dict "TENANT_ID" .values.tenantId "API_APPLICATION_ID" .values.applicationId "BASE_URL" .values.baseUrl }}
{{- if $idp.enabled }}
{{- $keys := printf "http://%s-identity-provider:4000/%s/discovery/keys" (include "greeting.fullname" .root) .values.tenantId }}
{{- $own = merge $own (dict "AUTH_URL" $idp.authUrl "ISSUER_URL" $idp.authUrl "JWKS_URL" $keys) }}
{{- end }}
{{- end }}
{{- if .root.Values.trustBundle.configMapName }}{{ $own = set $own "NODE_EXTRA_CA_CERTS" "/trust/ca.crt" }}{{ end }}
{{- include "greeting.settings" (mergeOverwrite (dict) .defaults $own (deepCopy .values.settings) .fixed) }}
{{- if .traced }}{{ include "greeting.tracing" .root }}{{ end }}
{{- end }}

{{- /* /healthz: the process runs. /readyz: it can do its work. A restart does not help a service that waits for its store. */}}
{{- define "greeting.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end }}

{{- define "greeting.placement" -}}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "greeting.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- include "greeting.nodes" .values }}
{{- end }}

{{- define "greeting.nodes" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Files of a pod. All lasting data of the identity provider is in PostgreSQL. */}}
{{- define "greeting.volumes" }}
{{- if hasKey .values "database" }}
- name: data
  emptyDir: { medium: Memory, sizeLimit: 16Mi }
{{- with .values.registrations.configMapName }}
- name: registrations
  configMap:
    name: {{ . }}
    items: [{ key: {{ $.values.registrations.key }}, path: registrations.json }]
{{- end }}
{{- with .values.database.clientCertificateSecretName }}
- name: database-client
  secret: { secretName: {{ . }} }
{{- end }}
{{- end }}
{{- with .root.Values.trustBundle.configMapName }}
- name: trust-bundle
  configMap:
    name: {{ . }}
    items: [{ key: {{ $.root.Values.trustBundle.key }}, path: ca.crt }]
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "greeting.volumeMounts" }}
{{- if hasKey .values "database" }}
- { name: data, mountPath: /data }
{{- if .values.registrations.configMapName }}
- { name: registrations, mountPath: /registrations, readOnly: true }
{{- end }}
{{- if .values.database.clientCertificateSecretName }}
- { name: database-client, mountPath: /database, readOnly: true }
{{- end }}
{{- end }}
{{- if .root.Values.trustBundle.configMapName }}
- { name: trust-bundle, mountPath: /trust, readOnly: true }
{{- end }}
{{- with .mounts }}
{{ toYaml . }}
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}
