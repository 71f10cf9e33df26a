package dev.outbox.sample.billing;

import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows without waiting what happens when a period, or the time before the next payment attempt, is over. */
@RestController
@ConditionalOnBooleanProperty("demo.enabled")
final class DueController {

    private final Subscriptions subscriptions;
    private final Charges charges;
    private final Charging charging;

    DueController(Subscriptions subscriptions, Charges charges, Charging charging) {
        this.subscriptions = subscriptions;
        this.charges = charges;
        this.charging = charging;
    }

    /** Makes a subscription due, and does with it what the next run of the renewals would do. */
    @PostMapping("/demo/subscriptions/{id}/due")
    Subscription due(@PathVariable UUID id) {
        subscriptions.makeDue(id);
        subscriptions.end(id);
        charges.orphaned().forEach(charging::cancel);
        return charging.charge(id);
    }
}
