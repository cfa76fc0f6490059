{{- /* Stops with one sentence if values contradict each other or would put a secret into a ConfigMap. */}}
{{- define "millrace.checks" -}}
{{- $secret := "(?i)(password|passwd|passphrase|secret|token|credential|jaas[._-]?config|credentials?[._-]?json|authorization|user[._-]?info|connection[._-]?string|(^|[._-])(key|pass|pwd)|(api|app|access|account|private|signing|session|shared)[._-]?key)s?$|ssl\\.keystore\\.certificate\\.chain$" }}
{{- $placeholder := "\\$\\{[^}]+:[^}]*\\}" }}
{{- if not .Values.kafka.bootstrapServers }}
{{- fail "Set kafka.bootstrapServers to host:port of some brokers of the Kafka cluster." }}
{{- end }}
{{- $elsewhere := dict
  "bootstrap.servers" "kafka.bootstrapServers"
  "group.id" "group.id"
  "config.storage.topic" "group.configTopic"
  "offset.storage.topic" "group.offsetTopic"
  "status.storage.topic" "group.statusTopic"
  "listeners" "rest.port and rest.scheme"
  "scheduled.rebalance.max.delay.ms" "rebalanceDelayMs" }}
{{- range $key, $value := .Values.config }}
{{- with index $elsewhere $key }}{{ fail (printf "config has %s: set %s instead." $key .) }}{{ end }}
{{- if hasPrefix "rest.advertised." $key }}
{{- fail (printf "config has %s: the chart advertises the address of each pod." $key) }}
{{- end }}
{{- if and (regexMatch $secret $key) (not (regexMatch $placeholder (toString $value))) }}
{{- fail (printf "config has a value for %s, and a ConfigMap is not a place for secrets: put it into a Secret, list it in secretFiles, and set ${directory:/etc/millrace/secrets/NAME:KEY}." $key) }}
{{- end }}
{{- end }}
{{- range .Values.env }}
{{- if and (hasKey . "value") (regexMatch $secret .name) (not (regexMatch $placeholder .value)) }}
{{- fail (printf "env has a value for %s: use valueFrom.secretKeyRef, so that it is not in the manifest." .name) }}
{{- end }}
{{- end }}
{{- range $name, $config := .Values.connectors }}
{{- range $key, $value := $config }}
{{- if and (regexMatch $secret $key) (not (regexMatch $placeholder (toString $value))) }}
{{- fail (printf "Connector %s has a value for %s, and a ConfigMap is not a place for secrets: put it into a Secret, list it in secretFiles, and set ${file:/etc/millrace/secrets/NAME/FILE:KEY}." $name $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.kafka }}
{{- if and .sasl.mechanism (not .sasl.existingSecret) }}
{{- fail "kafka.sasl.mechanism needs kafka.sasl.existingSecret, a Secret with the value of sasl.jaas.config." }}
{{- end }}
{{- if ne (empty .tls.certificateKey) (empty .tls.privateKeyKey) }}
{{- fail "Set both kafka.tls.certificateKey and kafka.tls.privateKeyKey, or none of them." }}
{{- end }}
{{- if and .tls.certificateKey (not .tls.existingSecret) }}
{{- fail "kafka.tls.certificateKey needs kafka.tls.existingSecret." }}
{{- end }}
{{- end }}
{{- if and (eq .Values.rest.scheme "https") (not (or (index .Values.config "listeners.https.ssl.keystore.location") (index .Values.config "listeners.https.ssl.keystore.certificate.chain"))) }}
{{- fail "rest.scheme is https: config needs a certificate, listeners.https.ssl.keystore.certificate.chain and listeners.https.ssl.keystore.key." }}
{{- end }}
{{- $authenticates := or (index .Values.config "rest.extension.classes") (index .Values.config "rest.auth.jwks.url") (index .Values.config "rest.auth.jwks.file") }}
{{- if and .Values.connectors (or $authenticates (eq .Values.rest.scheme "https")) }}
{{- fail "The Job of connectors sends no credentials and trusts no private certificate authority: leave connectors empty, and run millrace apply with a context of your own." }}
{{- end }}
{{- if $authenticates }}
{{- $open := index .Values.config "rest.auth.open.paths" | default "" | include "millrace.text" | splitList "," }}
{{- if not (and (has "/" $open) (has "/health" $open)) }}
{{- fail "The REST API needs authentication, which probes do not have: set rest.auth.open.paths in config to /,/health." }}
{{- end }}
{{- end }}
{{- $stop := include "millrace.stopSeconds" . | int }}
{{- if and .Values.terminationGracePeriodSeconds (le (int .Values.terminationGracePeriodSeconds) $stop) }}
{{- fail (printf "terminationGracePeriodSeconds must be more than %d: a worker may take that long to stop in order." $stop) }}
{{- end }}
{{- end }}
