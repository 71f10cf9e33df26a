package dev.outbox.sample.docs;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import java.util.ArrayList;
import java.util.List;

/** Handlers of the documentation. */
class Handlers {

    private final List<String> calls = new ArrayList<>();

    record ReportRequested(String report) {}

    record InvoiceIssued(String invoice) {}

    @OutboxHandler(id = "reports.render")
    void render(ReportRequested event, EventEnvelope envelope, EventContext context) {
        if (!context.isLeaseLost()) {
            calls.add(event.report() + envelope.eventId());
        }
    }

    @OutboxHandler(id = "points", deduplicate = true)
    void award(PaymentSucceeded event) {
        calls.add(event.attemptId().toString());
    }

    @OutboxHandler(id = "billing.charge", aliases = "invoice.charge")
    void charge(InvoiceIssued event) {
        calls.add(event.invoice());
    }

    HandlerDefinition withoutAnnotations() {
        return HandlerDefinition.of("points", PaymentSucceeded.class, (event, envelope) -> award(event))
                .deduplicating();
    }
}
