{{- define "berth.name" -}}
{{- if contains "berth" .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-berth" .Release.Name }}{{ end }}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "berth.scheme" -}}
{{ if .Values.tlsSecret }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}
