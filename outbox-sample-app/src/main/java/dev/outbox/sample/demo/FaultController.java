package dev.outbox.sample.demo;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The faults over HTTP. */
@RestController
@RequestMapping("/demo/faults")
@ConditionalOnBooleanProperty("demo.enabled")
final class FaultController {

    private final Faults faults;

    FaultController(Faults faults) {
        this.faults = faults;
    }

    /** Sets the fault of a handler. A missing parameter means no fault. */
    @PostMapping("/handlers/{id}")
    HandlerFault handler(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") @Min(0) @Max(100) int failPercent,
            @RequestParam(defaultValue = "0") @Min(0) @Max(600_000) int slowMillis,
            @RequestParam(defaultValue = "false") boolean hang) {
        HandlerFault fault = new HandlerFault(id, failPercent, slowMillis, hang);
        faults.put(fault);
        return fault;
    }

    /** Starts or ends the outage of a gateway. */
    @PostMapping("/gateways/{name}")
    GatewayFault gateway(@PathVariable String name, @RequestParam Outage fault) {
        GatewayFault gateway = new GatewayFault(name, fault);
        faults.turn(gateway);
        return gateway;
    }

    @GetMapping
    AllFaults all() {
        return new AllFaults(faults.ofHandlers(), faults.gateways());
    }

    @DeleteMapping
    AllFaults end() {
        faults.end();
        return all();
    }

    record AllFaults(List<HandlerFault> handlers, List<GatewayFault> gateways) {}
}
