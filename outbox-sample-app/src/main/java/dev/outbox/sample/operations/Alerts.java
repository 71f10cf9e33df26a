package dev.outbox.sample.operations;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Compares the state of the outbox with the thresholds, and logs when an alert starts or ends. All figures come from the database, so that
 * every process gives the same answer.
 */
@RestController
final class Alerts {

    private static final Logger log = LoggerFactory.getLogger(Alerts.class);

    private final MeterRegistry meters;
    private final RecentRetries retries;
    private final AlertSettings settings;
    private final Set<String> firing = new HashSet<>();

    Alerts(MeterRegistry meters, RecentRetries retries, AlertSettings settings) {
        this.meters = meters;
        this.retries = retries;
        this.settings = settings;
    }

    @GetMapping("/alerts")
    List<Alert> current() {
        return List.of(
                new Alert(
                        "unpublished",
                        values("outbox.pending", "outbox.processing", "outbox.retrying")
                                .sum(),
                        settings.unpublished()),
                new Alert(
                        "oldest",
                        values("outbox.oldest.pending", "outbox.oldest.retrying")
                                .max()
                                .orElse(0),
                        settings.oldest().toSeconds()),
                new Alert("dead", values("outbox.dead").sum(), settings.dead()),
                new Alert("mean-retries", retries.mean(settings.window()), settings.meanRetries()));
    }

    /** Returns how many events had how many failed attempts: those that finished within the window, published or dead, and all that are retried. */
    @GetMapping("/alerts/retries")
    SortedMap<Integer, Long> retries() {
        return retries.histogram(settings.window());
    }

    @Scheduled(fixedDelayString = "${alerts.interval}")
    synchronized void watch() {
        for (Alert alert : current()) {
            if (Double.isNaN(alert.value())) {
                // The database cannot be asked: nothing is known to have begun or ended.
                continue;
            }
            if (alert.firing() && firing.add(alert.name())) {
                log.warn("Alert {}: {} is above {}", alert.name(), alert.value(), alert.threshold());
            } else if (!alert.firing() && firing.remove(alert.name())) {
                log.info("Alert {} is over", alert.name());
            }
        }
    }

    private DoubleStream values(String... gauges) {
        return Stream.of(gauges)
                .flatMap((gauge) -> EverbitMeterFilter.namesOf(gauge).stream())
                .flatMap((name) -> meters.find(name).gauges().stream())
                .mapToDouble(Gauge::value);
    }
}
