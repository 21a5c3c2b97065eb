//! The list of algorithms as types: parameters in a scenario, the values computed from them, and the state of a queue pair.

/// An expression for an algorithm that lists a trait, another for one that does not.
macro_rules! if_listed {
    (NotificationDriven [NotificationDriven $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (AckDriven [AckDriven $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (TelemetryDriven [TelemetryDriven $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (PenaltyDriven [PenaltyDriven $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (LossDriven [LossDriven $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (Windowed [Windowed $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (CongestionEstimate [CongestionEstimate $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (UltraEthernet [UltraEthernet $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    (ReceiverDriven [ReceiverDriven $($rest:ident)*] $value:ident => $then:expr, $else:expr) => { $then };
    ($name:ident [$first:ident $($rest:ident)*] $value:ident => $then:expr, $else:expr) => {
        $crate::congestion::registry::if_listed!($name [$($rest)*] $value => $then, $else)
    };
    ($name:ident [] $value:ident => $then:expr, $else:expr) => {{
        let _ = $value;
        $else
    }};
}
pub(super) use if_listed;

/// Declares the module of each algorithm, and the types that hold any of them. `module::Type` implements
/// [`Definition`](super::Definition); a module may define several. In brackets are the traits of its state beside
/// [`CongestionControl`](super::CongestionControl); a trait that is not listed is not called.
macro_rules! register {
    ($($module:ident :: $($name:ident),+ : $traits:tt;)+) => {
        $(pub mod $module;)+

        /// The algorithm and its parameters. Parameters that a scenario omits have their published values.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "algorithm", rename_all = "kebab-case", deny_unknown_fields)]
        #[schemars(rename = "Congestion")]
        pub enum Parameters {
            $($(
                #[doc = concat!("Of [`", stringify!($module), "`].")]
                #[schemars(description = <$module::$name as Definition>::DESCRIPTION)]
                $name(<$module::$name as Definition>::Parameters),
            )+)+
        }

        impl Parameters {
            fn check_together(&self, checks: &mut Checks, line_rate_bps: u64) {
                match self {
                    $($(Parameters::$name(parameters) => <$module::$name as Definition>::check(parameters, checks, line_rate_bps),)+)+
                }
            }

            /// The feedback that senders need.
            pub fn feedback(&self) -> Feedback {
                match self {
                    $($(Parameters::$name(parameters) => <$module::$name as Definition>::feedback(parameters),)+)+
                }
            }

            /// Number of entropy values that a queue pair sprays its packets over; 0 = no spraying.
            pub fn entropy_values(&self) -> u16 {
                match self {
                    $($(Parameters::$name(parameters) => registry::if_listed!(UltraEthernet $traits parameters => <$module::$name as UltraEthernet>::entropy_values(parameters), 0),)+)+
                }
            }

            /// How receivers grant credit to senders; none = no credit required.
            pub fn grant_parameters(&self) -> Option<GrantParameters> {
                match self {
                    $($(Parameters::$name(parameters) => registry::if_listed!(ReceiverDriven $traits parameters => Some(<$module::$name as Grants>::grant_parameters(parameters)), None),)+)+
                }
            }

            /// The reduction of its senders' windows that a slow receiver requests.
            pub(crate) fn penalty(&self) -> Penalty {
                match self {
                    $($(Parameters::$name(parameters) => registry::if_listed!(UltraEthernet $traits parameters => <$module::$name as UltraEthernet>::penalty(parameters), Penalty::default()),)+)+
                }
            }

            /// The RTTs of the longest path that the scenario leaves to the network.
            pub(crate) fn missing_base_rtts(&mut self) -> Vec<&mut Option<Nanoseconds<u32>>> {
                let mut rtts = match self {
                    $($(Parameters::$name(parameters) => registry::if_listed!(UltraEthernet $traits parameters => <$module::$name as UltraEthernet>::base_rtts(parameters), Vec::new()),)+)+
                };
                rtts.retain(|rtt| rtt.is_none());
                rtts
            }

            /// Computes the values that all queue pairs share, once per scenario. Parameters that [`check`](Self::check) refuses
            /// may panic here.
            pub fn prepare(&self) -> PreparedParameters {
                match self {
                    $($(Parameters::$name(parameters) => PreparedParameters::$name(Arc::new(<$module::$name as Definition>::prepare(parameters))),)+)+
                }
            }
        }

        /// Parameters as the queue pairs of a scenario share them.
        #[derive(Debug, Clone)]
        pub enum PreparedParameters {
            $($(
                #[doc = concat!("Of [`", stringify!($module), "`].")]
                $name(Arc<<$module::$name as Definition>::SharedValues>),
            )+)+
        }

        impl PreparedParameters {
            /// The state of a new queue pair on a port of `line` bits per second; a full packet has `packet` bytes of payload.
            pub fn start(&self, line: u64, packet: Bytes<u32>) -> Algorithm {
                match self {
                    $($(PreparedParameters::$name(shared) => {
                        Algorithm::$name(<$module::$name as Definition>::start(shared.clone(), line, packet))
                    })+)+
                }
            }
        }

        /// The state of one queue pair, whatever its algorithm.
        #[derive(Debug, Clone)]
        pub enum Algorithm {
            $($(
                #[doc = concat!("Of [`", stringify!($module), "`].")]
                $name(<$module::$name as Definition>::State),
            )+)+
        }

        impl Algorithm {
            /// The state as that of a receiver-driven algorithm, if it is one.
            #[inline]
            pub fn receiver_driven(&self) -> Option<&dyn ReceiverDriven> {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(ReceiverDriven $traits state => {
                        let sender: &$module::$name = state;
                        Some(sender)
                    }, None),)+)+
                }
            }

            /// The same, to change it.
            #[inline]
            pub fn receiver_driven_mut(&mut self) -> Option<&mut dyn ReceiverDriven> {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(ReceiverDriven $traits state => {
                        let sender: &mut $module::$name = state;
                        Some(sender)
                    }, None),)+)+
                }
            }

            /// A data frame of `bytes` starts on the link.
            #[inline]
            pub fn on_sent(&mut self, now: Picoseconds, bytes: Bytes<u32>) {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(NotificationDriven $traits state => state.on_sent(now, bytes), ()),)+)+
                }
            }

            /// A congestion notification arrived.
            #[inline]
            pub fn on_cnp(&mut self, now: Picoseconds) {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(NotificationDriven $traits state => state.on_cnp(now), ()),)+)+
                }
            }

            /// An acknowledgement arrived. The algorithm gets the telemetry of switches, or the receiver's penalty, where its
            /// traits ask for them.
            pub fn on_ack(&mut self, ack: &Ack, hops: &[Hop], penalty: Penalty) {
                match self {
                    $($(Algorithm::$name(state) => {
                        registry::if_listed!(AckDriven $traits state => state.on_ack(ack), ());
                        registry::if_listed!(TelemetryDriven $traits state => state.on_telemetry(ack, hops), ());
                        registry::if_listed!(PenaltyDriven $traits state => state.on_penalty(ack, penalty), ());
                    })+)+
                }
            }

            /// Something was lost.
            pub fn on_loss(&mut self, now: Picoseconds, loss: Loss) {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(LossDriven $traits state => state.on_loss(now, loss), ()),)+)+
                }
            }

            /// No more bytes than this may be outstanding, but always one packet; `None` = any number.
            pub fn window(&self) -> Option<f64> {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(Windowed $traits state => state.window(), None),)+)+
                }
            }

            /// The rate that it allows, bits per second; `None` = line rate: for time series.
            pub fn throughput(&self, now: Picoseconds) -> Option<f64> {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(Windowed $traits state => state.throughput(now), state.peek(now)),)+)+
                }
            }

            /// The estimate of congestion, 0 to 1, where the algorithm has one and a limiter is active.
            pub fn alpha(&self, now: Picoseconds) -> Option<f64> {
                match self {
                    $($(Algorithm::$name(state) => registry::if_listed!(CongestionEstimate $traits state => state.alpha(now), None),)+)+
                }
            }
        }

        impl CongestionControl for Algorithm {
            #[inline]
            fn rate(&mut self, now: Picoseconds) -> Option<f64> {
                match self {
                    $($(Algorithm::$name(state) => state.rate(now),)+)+
                }
            }

            fn peek(&self, now: Picoseconds) -> Option<f64> {
                match self {
                    $($(Algorithm::$name(state) => state.peek(now),)+)+
                }
            }
        }
    };
}
pub(super) use register;
