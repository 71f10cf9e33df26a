package dev.outbox.sample.push;

import dev.outbox.sample.push.Device.Subscription;
import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Devices over HTTP. */
@RestController
final class DeviceController {

    private final Devices devices;
    private final PushGateway gateway;

    DeviceController(Devices devices, PushGateway gateway) {
        this.devices = devices;
        this.gateway = gateway;
    }

    @PutMapping("/devices/{userId}")
    void register(
            @PathVariable @Name String userId, @Valid @RequestBody(required = false) @Nullable RegisterDevice request) {
        Device device = request == null ? new Device(userId, null, null) : request.of(userId);
        try {
            gateway.check(device);
        } catch (IllegalArgumentException ex) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, ex.getMessage(), ex);
        }
        devices.register(device);
    }

    @DeleteMapping("/devices/{userId}")
    void unregister(@PathVariable String userId) {
        devices.unregister(userId);
    }

    /** A registration token, or a subscription in the form in which browsers serialize it. */
    record RegisterDevice(
            @Nullable @Size(min = 1, max = 4096) String token,
            @Nullable @Valid BrowserSubscription subscription) {

        Device of(String userId) {
            return new Device(userId, token, subscription == null ? null : subscription.subscription());
        }

        /** Omits the secrets, because Spring logs request bodies at DEBUG. */
        @Override
        public String toString() {
            return "RegisterDevice";
        }
    }

    record BrowserSubscription(
            @NotNull URI endpoint, @NotNull @Valid Keys keys) {

        Subscription subscription() {
            return new Subscription(endpoint, keys.p256dh(), keys.auth());
        }

        @Override
        public String toString() {
            return "BrowserSubscription";
        }
    }

    record Keys(
            @NotNull @Size(max = 100) String p256dh,
            @NotNull @Size(max = 50) String auth) {}
}
