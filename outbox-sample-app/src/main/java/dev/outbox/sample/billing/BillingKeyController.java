package dev.outbox.sample.billing;

import java.util.UUID;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Billing keys over HTTP. */
@RestController
@RequestMapping("/billing-keys")
final class BillingKeyController {

    private final BillingKeys keys;

    BillingKeyController(BillingKeys keys) {
        this.keys = keys;
    }

    @DeleteMapping("/{id}")
    BillingKey delete(@PathVariable UUID id) {
        return keys.delete(id);
    }
}
