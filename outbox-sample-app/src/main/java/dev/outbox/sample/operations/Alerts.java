package dev.outbox.sample.operations;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Compares the outbox's meters with the thresholds, and logs when an alert starts or ends. */
@RestController
final class Alerts {

    private static final Logger log = LoggerFactory.getLogger(Alerts.class);

    private final MeterRegistry meters;
    private final AlertSettings settings;
    private final Set<String> firing = new HashSet<>();

    Alerts(MeterRegistry meters, AlertSettings settings) {
        this.meters = meters;
        this.settings = settings;
    }

    @GetMapping("/alerts")
    List<Alert> current() {
        return List.of(
                new Alert("unpublished", unpublished(), settings.unpublished()),
                new Alert(
                        "oldest",
                        values("outbox.oldest.pending").max().orElse(0),
                        settings.oldest().toSeconds()),
                new Alert("dead", values("outbox.dead").sum(), settings.dead()),
                new Alert("mean-retries", meanRetries(), settings.meanRetries()));
    }

    @Scheduled(fixedDelayString = "${alerts.interval}")
    synchronized void watch() {
        for (Alert alert : current()) {
            if (alert.firing() && firing.add(alert.name())) {
                log.warn("alert {}: {} is above {}", alert.name(), alert.value(), alert.threshold());
            } else if (!alert.firing() && firing.remove(alert.name())) {
                log.info("alert {} is over", alert.name());
            }
        }
    }

    private double unpublished() {
        return Stream.of("outbox.pending", "outbox.processing", "outbox.retrying")
                .flatMapToDouble(this::values)
                .sum();
    }

    private DoubleStream values(String gauge) {
        return meters.find(gauge).gauges().stream().mapToDouble(Gauge::value);
    }

    private double meanRetries() {
        Collection<DistributionSummary> streams =
                meters.find("outbox.retry.count").summaries();
        long events = streams.stream().mapToLong(DistributionSummary::count).sum();
        double retries =
                streams.stream().mapToDouble(DistributionSummary::totalAmount).sum();
        return events == 0 ? 0 : retries / events;
    }
}
