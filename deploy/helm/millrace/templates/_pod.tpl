{{- /* The pod of a worker, for a Deployment and a StatefulSet. */}}
{{- define "millrace.pod" -}}
metadata:
  labels:
    {{- include "millrace.workerLabels" . | nindent 4 }}
    app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # Settings are read at startup, so a change replaces the pods.
    checksum/settings: {{ include "millrace.properties" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "millrace.serviceAccount" . }}
  automountServiceAccountToken: {{ .Values.serviceAccount.automountServiceAccountToken }}
  # Otherwise a Service called connect would set CONNECT_PORT, which the worker would read as a setting.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds | default (add (include "millrace.stopSeconds" . | int) 10) }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  containers:
    - name: worker
      image: {{ include "millrace.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [start, /etc/millrace/worker/worker.properties]
      workingDir: /data
      env:
        # Where the other workers reach this one. It also identifies the worker in its group.
        {{- if eq .Values.kind "StatefulSet" }}
        - name: POD_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        - name: CONNECT_REST_ADVERTISED_HOST_NAME
          value: $(POD_NAME).{{ include "millrace.fullname" . }}-workers.{{ .Release.Namespace }}.svc
        {{- else }}
        - name: CONNECT_REST_ADVERTISED_HOST_NAME
          valueFrom: { fieldRef: { fieldPath: status.podIP } }
        {{- end }}
        {{- with .Values.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: rest
          containerPort: {{ .Values.rest.port }}
          protocol: TCP
      # The REST port opens before the worker connects to Kafka. A worker that waits for Kafka or for its group is
      # alive: a restart would not help it, and would move its tasks. A worker whose main thread is blocked is not.
      startupProbe:
        httpGet: { path: /, port: rest, scheme: {{ upper .Values.rest.scheme }} }
        {{- toYaml .Values.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet: { path: /, port: rest, scheme: {{ upper .Values.rest.scheme }} }
        {{- toYaml .Values.probes.liveness | nindent 8 }}
      # 200 once the worker has read the storage topics and joined its group. A rollout waits for it.
      readinessProbe:
        httpGet: { path: /health, port: rest, scheme: {{ upper .Values.rest.scheme }} }
        {{- toYaml .Values.probes.readiness | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      volumeMounts:
        - { name: settings, mountPath: /etc/millrace/worker, readOnly: true }
        {{- with include "millrace.secretMounts" . }}
        {{- . | nindent 8 }}
        {{- end }}
        # The only folders that a worker writes to.
        - { name: data, mountPath: /data }
        - { name: files, mountPath: /data/files }
        - { name: tmp, mountPath: /tmp }
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: settings
      configMap: { name: {{ include "millrace.fullname" . }} }
    {{- with include "millrace.secretVolumes" . }}
    {{- . | nindent 4 }}
    {{- end }}
    - name: data
      emptyDir: { sizeLimit: 64Mi }
    # The file.root: what file connectors may read and write. Without it, they may read the Secrets that are mounted.
    - name: files
      emptyDir: { sizeLimit: 64Mi }
    - name: tmp
      emptyDir: { sizeLimit: {{ .Values.tmpSizeLimit }} }
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if kindIs "invalid" .Values.topologySpreadConstraints }}
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "millrace.workerLabels" $ | nindent 10 }}
    {{- end }}
    {{- else }}
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
    {{- end }}
{{- end }}

{{- /* Secrets are files: unlike variables of the environment, child processes and crash reports do not contain them. */}}
{{- define "millrace.secretMounts" -}}
{{- if and .Values.kafka.tls.enabled .Values.kafka.tls.existingSecret -}}
- { name: kafka-tls, mountPath: /etc/millrace/kafka-tls, readOnly: true }
{{- end }}
{{- if .Values.kafka.sasl.mechanism }}
- { name: kafka-sasl, mountPath: /etc/millrace/kafka-sasl, readOnly: true }
{{- end }}
{{- range .Values.secretFiles }}
- { name: secret-{{ .name }}, mountPath: /etc/millrace/secrets/{{ .name }}, readOnly: true }
{{- end }}
{{- end }}

{{- define "millrace.secretVolumes" -}}
{{- if and .Values.kafka.tls.enabled .Values.kafka.tls.existingSecret }}
- name: kafka-tls
  secret: { secretName: {{ .Values.kafka.tls.existingSecret }}, defaultMode: 0440 }
{{- end }}
{{- if .Values.kafka.sasl.mechanism }}
- name: kafka-sasl
  secret: { secretName: {{ .Values.kafka.sasl.existingSecret }}, defaultMode: 0440 }
{{- end }}
{{- range .Values.secretFiles }}
- name: secret-{{ .name }}
  secret: { secretName: {{ .secretName }}, defaultMode: 0440 }
{{- end }}
{{- end }}
