{{- define "greeting.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- /* 37 characters, and -identity-provider-metrics: 63, the most that the name of a Service may have. The hash keeps long names apart. */}}
{{- define "greeting.fullname" -}}
{{- $name := include "greeting.name" . }}
{{- $full := default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) .Values.fullnameOverride }}
{{- if gt (len $full) 37 }}{{ printf "%s-%s" (trunc 28 $full | trimSuffix "-") (sha256sum $full | trunc 8) }}{{ else }}{{ $full }}{{ end }}
{{- end }}

{{- /* The labels that select the pods of a service. They never change. */}}
{{- define "greeting.selector" -}}
app.kubernetes.io/name: {{ include "greeting.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "greeting.labels" -}}
{{ include "greeting.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "greeting.administratorSecret" -}}
{{- default (printf "%s-administrator" (include "greeting.fullname" .)) .Values.identityProvider.bootstrap.secretName }}
{{- end }}

{{- define "greeting.clientsSecret" -}}
{{- printf "%s-clients" (include "greeting.fullname" .) }}
{{- end }}

{{- define "greeting.image" -}}
{{- $image := .values.image }}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}{{ else }}{{ $image.repository }}:{{ default .root.Chart.AppVersion $image.tag }}{{ end }}
{{- end }}

{{- /* The services of this release: a list of dicts with the component, its values and its port. */}}
{{- define "greeting.services" -}}
{{- if .Values.identityProvider.enabled }}
- component: identity-provider
  key: identityProvider
  port: 4000
{{- end }}
{{- if .Values.api.enabled }}
- component: api
  key: api
  port: 3000
{{- end }}
{{- end }}
