package dev.outbox.sample.licensing;

import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows without waiting what happens when no payment has extended a license in time. */
@RestController
@ConditionalOnBooleanProperty("demo.enabled")
final class ExpiryController {

    private final LicenseExpiry expiry;

    ExpiryController(LicenseExpiry expiry) {
        this.expiry = expiry;
    }

    /** Ends the grace period of a subscription's license, and runs the expiry. */
    @PostMapping("/demo/subscriptions/{id}/expiry")
    void expire(@PathVariable UUID id) {
        expiry.endGrace(id);
        expiry.runOnce();
    }
}
