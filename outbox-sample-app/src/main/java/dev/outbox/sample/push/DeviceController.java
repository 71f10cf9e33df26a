package dev.outbox.sample.push;

import dev.outbox.sample.push.Device.Subscription;
import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
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
        Device device = request == null
                ? new Device(userId, null, null)
                : new Device(userId, request.token(), request.subscription());
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

    /** A registration token, or a subscription. */
    record RegisterDevice(
            @Nullable @Size(min = 1, max = 4096) String token,
            @Nullable @Valid Subscription subscription) {

        /** Omits the secrets, because Spring logs request bodies at DEBUG. */
        @Override
        public String toString() {
            return "RegisterDevice";
        }
    }
}
