//! What the rows of the table become.

/// Makes [`Action`](super::Action), its kinds, its effects and its words from the rows.
macro_rules! actions {
    ($on:ident; $(
        $(#[$doc:meta])+
        $kind:ident = $name:literal guarded_as $effect:ident
        $({ $( $(#[$about:meta])* $field:ident: $type:ty, )* })?
        does $placing:expr,
        told $told:expr;
    )*) => {
        /// One action on a device. Points are physical pixels of the observed screen.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "do", rename_all = "snake_case")]
        pub enum Action { $(
            $(#[$doc])+
            #[serde(rename = $name)]
            $kind $({ $( $(#[$about])* $field: $type, )* })?,
        )* }

        /// Which action, without its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionKind { $( $(#[$doc])+ $kind, )* }

        impl ActionKind {
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The action's name as it is serialised.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// What who denies this action denies: every action that does it.
            pub(crate) fn characteristic(self) -> ActionEffect {
                match self { $(Self::$kind => ActionEffect::$effect,)* }
            }
        }

        #[allow(unused_variables, reason = "a row needs not all of its fields to say what it does")]
        impl Action {
            pub fn kind(&self) -> ActionKind {
                match self { $(Self::$kind { .. } => ActionKind::$kind,)* }
            }

            /// What the guard and the gate have to know of it on a device of this platform.
            pub fn placed(&self, $on: Platform) -> Placed<'_> {
                match self { $(
                    Self::$kind $({ $($field),* })? => Placed::of(ActionKind::$kind, $placing),
                )* }
            }

            /// What it does, for a report.
            pub fn describe(&self) -> String {
                match self { $( Self::$kind $({ $($field),* })? => ($told).into(), )* }
            }

            /// Shows every place that it acts at to `places`, and every element to `elements`, which may move them.
            pub fn move_targets<E>(
                &mut self,
                places: &mut dyn FnMut(&mut Point<Physical>) -> Result<(), E>,
                elements: &mut dyn FnMut(&mut ElementRef) -> Result<(), E>,
            ) -> Result<(), E> {
                match self { $( Self::$kind $({ $($field),* })? => {
                    $( $($field.move_targets(places, elements)?;)* )?
                    Ok(())
                } )* }
            }
        }
    };
}

/// Makes [`Tool`](super::Tool), the specifications and the makers of actions from the rows.
macro_rules! tools {
    ($scene:ident; $(
        $tool:ident = $name:literal also [$($alias:literal),*] needs $need:expr,
        ($($param:ident: $about:expr),*)
        $sentence:literal
        example $example:literal $shows:literal
        makes $action:expr;
    )*) => {
        /// Something that a player can ask of a device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tool { $( #[doc = $sentence] $tool, )* }

        impl Tool {
            /// All of them, in the order in which players are told of them.
            pub const ALL: &'static [Self] = &[$(Self::$tool,)*];

            pub fn spec(self) -> &'static ToolSpec {
                match self { $( Self::$tool => {
                    static SPEC: ToolSpec = ToolSpec {
                        name: $name,
                        aliases: &[$($alias),*],
                        need: $need,
                        params: &[$(($about).named(stringify!($param)),)*],
                        sentence: $sentence,
                        example: Example { parameters: $example, shows: $shows },
                    };
                    &SPEC
                } )* }
            }

            /// The action that it comes to with these values.
            pub(super) fn action(self, values: &Values, $scene: &GroundContext<'_>) -> Result<Action, String> {
                match self { $( Self::$tool => {
                    $( let $param = values.get(stringify!($param))?; )*
                    Ok($action)
                } )* }
            }
        }
    };
}
