package dev.outbox.sample.billing;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Subscriptions over HTTP. */
@RestController
@RequestMapping("/subscriptions")
final class SubscriptionController {

    private final Subscriptions subscriptions;
    private final Charging charging;

    SubscriptionController(Subscriptions subscriptions, Charging charging) {
        this.subscriptions = subscriptions;
        this.charging = charging;
    }

    @PostMapping
    ResponseEntity<Subscription> start(@Valid @RequestBody StartSubscription request) {
        Charge first = subscriptions.order(
                request.guildId(), Plan.of(request.planCode()), request.userId(), request.authKey());
        Subscription started = charging.collect(first);
        if (!started.isRunning()) {
            throw notStarted(started);
        }
        return ResponseEntity.created(URI.create("/subscriptions/" + started.id()))
                .body(started);
    }

    @GetMapping("/{id}")
    Subscription find(@PathVariable UUID id) {
        return subscriptions.find(id);
    }

    /** Charges a subscription if it is due, without waiting for the next run of the renewals. */
    @PostMapping("/{id}/charges")
    Subscription charge(@PathVariable UUID id) {
        return charging.charge(id);
    }

    @PutMapping("/{id}/plan")
    Subscription changePlan(@PathVariable UUID id, @Valid @RequestBody ChangePlan request) {
        return charging.changePlan(id, Plan.of(request.planCode()));
    }

    @DeleteMapping("/{id}")
    Subscription cancel(@PathVariable UUID id, @RequestParam(defaultValue = "true") boolean atPeriodEnd) {
        return subscriptions.cancel(id, atPeriodEnd);
    }

    /** Without a failed payment, the subscription lost its billing key, its guild or the bot during the payment. */
    private static ResponseStatusException notStarted(Subscription subscription) {
        return subscription.retryCount() > 0
                ? new ResponseStatusException(
                        HttpStatus.PAYMENT_REQUIRED,
                        "the first payment was declined, so the subscription is " + subscription.status())
                : new ResponseStatusException(
                        HttpStatus.CONFLICT, "subscription " + subscription.id() + " is " + subscription.status());
    }

    /** The authorization is what the page of the bank returned for the user; the simulated bank needs none. */
    record StartSubscription(
            @Name String guildId,
            @Name String planCode,
            @Name String userId,
            @Nullable @Size(max = 300) String authKey) {

        /** Omits the authorization, because Spring logs request bodies at DEBUG. */
        @Override
        public String toString() {
            return "StartSubscription[guildId=" + guildId + "]";
        }
    }

    record ChangePlan(@Name String planCode) {}
}
