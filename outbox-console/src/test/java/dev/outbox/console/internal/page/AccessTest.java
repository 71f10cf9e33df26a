package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.console.internal.web.Access;
import dev.outbox.console.internal.web.ConsoleSettings;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** What signed-in users may do, by their authorities. */
class AccessTest {

    private final OutboxInspector inspector = mock();
    private final OutboxOperations operations = mock();
    private final MockMvc console = MockMvcBuilders.routerFunctions(new Console(
                            new ConsoleSettings("/outbox", "shop", new Access("ops", "readers"), true),
                            inspector,
                            operations,
                            mock(Replays.class),
                            mock(ScheduledEvents.class))
                    .routes())
            .build();

    @ParameterizedTest
    @CsvSource({"ops, 200, 303", "readers, 200, 403", "ROLE_OUTBOX_OPERATOR, 403, 403", "USER, 403, 403"})
    void operatorsChangeAndViewersLook(String authority, int look, int change) throws Exception {
        when(inspector.overview()).thenReturn(PageFixture.overview());
        when(operations.pauseHandler(any(), any(), any())).thenReturn(true);
        MockHttpServletRequestBuilder pause = post("/outbox/pause")
                .param("subject", "handler")
                .param("name", "mail")
                .param("reason", "why")
                .header("Sec-Fetch-Site", "same-origin");

        assertThat(as(authority, get("/outbox")).getStatus()).isEqualTo(look);
        assertThat(as(authority, pause).getStatus()).isEqualTo(change);
        verify(operations, change == 303 ? times(1) : never()).pauseHandler("mail", "ann", "why");
    }

    @ParameterizedTest
    @CsvSource({"ops, false", "readers, true"})
    void viewersSeeNoButtons(String authority, boolean viewer) throws Exception {
        when(inspector.overview()).thenReturn(PageFixture.overview());

        assertThat(as(authority, get("/outbox")).getContentAsString().contains("class=\"viewer\""))
                .isEqualTo(viewer);
    }

    @Test
    void refusalNamesTheAuthorities() throws Exception {
        assertThat(as("USER", get("/outbox")).getContentAsString()).contains("ann lacks the authority ops or readers");
    }

    private MockHttpServletResponse as(String authority, MockHttpServletRequestBuilder request) throws Exception {
        return console.perform(request.principal(new TestingAuthenticationToken("ann", "", authority)))
                .andReturn()
                .getResponse();
    }
}
