{{- /* A value as text. Helm reads numbers as floats, which print 16777216 as 1.6777216e+07. */}}
{{- define "millrace.text" -}}
{{- if kindIs "slice" . }}{{ join "," . }}
{{- else if and (kindIs "float64" .) (eq (float64 (int64 .)) .) }}{{ int64 . }}
{{- else }}{{ toString . }}
{{- end }}
{{- end }}

{{- /* Names of the Service and of a StatefulSet's pods, and those of config. Probes and workers use IP addresses or the
advertised name, which need no entry. */}}
{{- define "millrace.hosts" -}}
{{- $hosts := list "localhost" }}
{{- $names := list (include "millrace.fullname" .) }}
{{- if eq .Values.kind "StatefulSet" }}{{ $names = append $names (printf "*.%s-workers" (include "millrace.fullname" .)) }}{{ end }}
{{- range $name := $names }}
{{- range $domain := list "" (print "." $.Release.Namespace) (printf ".%s.svc" $.Release.Namespace) (printf ".%s.svc.cluster.local" $.Release.Namespace) }}
{{- $hosts = append $hosts (print $name $domain) }}
{{- end }}
{{- end }}
{{- with index .Values.config "rest.allowed.hosts" }}{{ $hosts = append $hosts (include "millrace.text" .) }}{{ end }}
{{- join "," $hosts }}
{{- end }}

{{- /* The worker settings as JSON: those of values, over the defaults of the chart. */}}
{{- define "millrace.settings" -}}
{{- $group := include "millrace.groupId" . }}
{{- $delay := ternary 0 300000 (eq .Values.kind "Deployment") }}
{{- if not (kindIs "invalid" .Values.rebalanceDelayMs) }}{{ $delay = .Values.rebalanceDelayMs }}{{ end }}
{{- $settings := dict
  "bootstrap.servers" .Values.kafka.bootstrapServers
  "group.id" $group
  "config.storage.topic" (default (printf "%s-configs" $group) .Values.group.configTopic)
  "offset.storage.topic" (default (printf "%s-offsets" $group) .Values.group.offsetTopic)
  "status.storage.topic" (default (printf "%s-status" $group) .Values.group.statusTopic)
  "listeners" (printf "%s://:%v" .Values.rest.scheme .Values.rest.port)
  "scheduled.rebalance.max.delay.ms" $delay
  "file.root" "/data/files"
  "config.providers" "file,directory"
  "config.providers.file.class" "org.apache.kafka.common.config.provider.FileConfigProvider"
  "config.providers.file.param.allowed.paths" "/etc/millrace"
  "config.providers.directory.class" "org.apache.kafka.common.config.provider.DirectoryConfigProvider"
  "config.providers.directory.param.allowed.paths" "/etc/millrace" }}
{{- $security := include "millrace.security" . | fromJson }}
{{- /* As in Java, the clients of connectors do not inherit the worker's security settings. */}}
{{- range $prefix := list "" "producer." "consumer." }}
{{- range $key, $value := $security }}{{ $_ := set $settings (print $prefix $key) $value }}{{ end }}
{{- end }}
{{- range $key, $value := .Values.config }}{{ $_ := set $settings $key $value }}{{ end }}
{{- $_ := set $settings "rest.allowed.hosts" (include "millrace.hosts" .) }}
{{- $texts := dict }}
{{- range $key, $value := $settings }}{{ $_ := set $texts $key (include "millrace.text" $value) }}{{ end }}
{{- toJson $texts }}
{{- end }}

{{- /* Settings of a Kafka client, as JSON. */}}
{{- define "millrace.security" -}}
{{- $tls := .Values.kafka.tls }}
{{- $sasl := .Values.kafka.sasl }}
{{- $settings := dict }}
{{- if or $tls.enabled $sasl.mechanism }}
{{- $protocol := ternary "SSL" "PLAINTEXT" $tls.enabled }}
{{- $_ := set $settings "security.protocol" (ternary (print "SASL_" $protocol) $protocol (ne $sasl.mechanism "")) }}
{{- end }}
{{- if $sasl.mechanism }}
{{- $_ := set $settings "sasl.mechanism" $sasl.mechanism }}
{{- $_ := set $settings "sasl.jaas.config" (printf "${directory:/etc/millrace/kafka-sasl:%s}" $sasl.jaasConfigKey) }}
{{- end }}
{{- if and $tls.enabled $tls.existingSecret }}
{{- if $tls.caKey }}
{{- $_ := set $settings "ssl.truststore.type" "PEM" }}
{{- $_ := set $settings "ssl.truststore.location" (print "/etc/millrace/kafka-tls/" $tls.caKey) }}
{{- end }}
{{- if $tls.certificateKey }}
{{- $_ := set $settings "ssl.keystore.type" "PEM" }}
{{- $_ := set $settings "ssl.keystore.certificate.chain" (printf "${directory:/etc/millrace/kafka-tls:%s}" $tls.certificateKey) }}
{{- $_ := set $settings "ssl.keystore.key" (printf "${directory:/etc/millrace/kafka-tls:%s}" $tls.privateKeyKey) }}
{{- end }}
{{- end }}
{{- toJson $settings }}
{{- end }}

{{- /* In Java's properties format. Keys need no escapes: values.schema.json restricts them. */}}
{{- define "millrace.properties" -}}
{{- range $key, $value := include "millrace.settings" . | fromJson }}
{{- $key }}={{ $value | replace "\\" "\\\\" | replace "\n" "\\n" | replace "\r" "\\r" }}{{ print "\n" }}
{{- end }}
{{- end }}

{{- /* Longest time of a graceful stop: a worker ends its process 15 s after task.shutdown.graceful.timeout.ms. */}}
{{- define "millrace.stopSeconds" -}}
{{- $settings := include "millrace.settings" . | fromJson }}
{{- $graceful := index $settings "task.shutdown.graceful.timeout.ms" | default "5000" | float64 }}
{{- add (ceil (divf $graceful 1000) | int64) 15 }}
{{- end }}
