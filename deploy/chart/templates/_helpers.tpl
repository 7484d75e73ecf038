{{- define "runyard.name" -}}
{{- $both := printf "%s-%s" .Release.Name .Chart.Name }}
{{- ternary .Release.Name $both (contains .Chart.Name .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "runyard.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "runyard.labels" -}}
{{ include "runyard.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- end }}

{{- define "runyard.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (ternary (include "runyard.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "runyard.settings" -}}
RUNYARD_URL: {{ .Values.url | quote }}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "runyard.secret" -}}
{{- range $name, $value := .Values.secret.values }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* Which Secret pods read; of a hook, the copy that is made before the release's own. */}}
{{- define "runyard.secretName" -}}
{{ .root.Values.secret.existing | default (printf "%s%s" (include "runyard.name" .root) (.suffix | default "")) }}
{{- end }}

{{/* What all containers share: `root`, `arguments`, `resources`, `suffix` of ConfigMap and Secret. */}}
{{- define "runyard.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: {{ toJson .arguments }}
envFrom:
  - configMapRef: {name: {{ printf "%s%s" (include "runyard.name" .root) (.suffix | default "") }}}
  - secretRef: {name: {{ include "runyard.secretName" . }}}
resources:
  {{- toYaml .resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{/* Refuses to let files or metrics lie in folders that go with their pods. */}}
{{- define "runyard.checkData" -}}
{{- $settings := .Values.settings | default dict }}
{{- if not .Values.data.existingClaim }}
{{- if not $settings.RUNYARD_STORAGE_URL }}
{{- fail "Files would be lost with their pod: set settings.RUNYARD_STORAGE_URL to a bucket, or data.existingClaim." }}
{{- end }}
{{- if not (has ($settings.RUNYARD_SEGMENTS | default "files") (list "bucket" "database")) }}
{{- fail "Packed metrics would be lost with their pod: set settings.RUNYARD_SEGMENTS to bucket or database, or data.existingClaim." }}
{{- end }}
{{- end }}
{{- end }}

{{/* What all pods share. */}}
{{- define "runyard.pod" -}}
{{- include "runyard.checkData" . }}
serviceAccountName: {{ include "runyard.serviceAccount" . }}
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
volumes:
  - name: data
    {{- if .Values.data.existingClaim }}
    persistentVolumeClaim: {claimName: {{ .Values.data.existingClaim }}}
    {{- else }}
    emptyDir: {sizeLimit: {{ .Values.data.sizeLimit }}}
    {{- end }}
  - name: tmp
    emptyDir: {medium: Memory, sizeLimit: 256Mi}
{{- end }}

{{/* Where pods of a component go: its values, and apart from each other where nothing is said. */}}
{{- define "runyard.placement" -}}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .values.affinity }}
affinity:
  {{- toYaml .values.affinity | nindent 2 }}
{{- else }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "runyard.selector" . | nindent 8 }}
{{- end }}
{{- end }}
