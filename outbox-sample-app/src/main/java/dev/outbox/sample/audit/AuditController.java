package dev.outbox.sample.audit;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The audit log over HTTP. */
@RestController
final class AuditController {

    private final AuditLog log;

    AuditController(AuditLog log) {
        this.log = log;
    }

    @GetMapping("/audit")
    List<AuditEntry> latest() {
        return log.latest();
    }

    @GetMapping(path = "/audit", params = "trace")
    List<AuditEntry> ofTrace(@RequestParam String trace) {
        return log.ofTrace(trace);
    }
}
