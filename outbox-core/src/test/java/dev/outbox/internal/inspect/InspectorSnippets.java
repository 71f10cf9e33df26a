package dev.outbox.internal.inspect;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the documentation shows of the inspector. */
final class InspectorSnippets {

    private static final Logger log = LoggerFactory.getLogger(InspectorSnippets.class);

    private final OutboxInspector inspector;

    InspectorSnippets(OutboxInspector inspector) {
        this.inspector = inspector;
    }

    void whatWaits() {
        OutboxOverview overview = inspector.overview();
        overview.streams().forEach((stream) -> log.info("{}: {}", stream.name(), stream.backlog()));
        inspector
                .failures()
                .forEach((group) -> log.info(
                        "{} fails with {}: {} dead, {} retrying; first: {}",
                        group.handlerId(),
                        group.errorCode(),
                        group.dead(),
                        group.retrying(),
                        group.first().failure().message()));
    }

    void whyIsOrder42Stuck() {
        inspector
                .lanes("order", "42")
                .forEach((lane) -> log.info(
                        "{}: {} {}",
                        lane.handlerId(),
                        lane.cause().explanation(),
                        lane.cause().remedy()));
    }
}
