//! The 120 instances of Taillard (1993), "Benchmarks for basic scheduling problems", EJOR 64,
//! 278-285, generated from their seeds, with the best makespans and bounds known today.

use super::Instance;

/// Facts about one of Taillard's instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The number in the name, from 1.
    number: usize,
    /// Number of jobs.
    pub jobs: usize,
    /// Number of machines.
    pub machines: usize,
    /// Seed of the generator.
    pub seed: u32,
    /// Makespan of the best known schedule.
    pub upper_bound: u32,
    /// Best proved bound; equal to `upper_bound` unless the instance is open.
    pub lower_bound: u32,
}

impl Known {
    /// The name, from `ta001` to `ta120`.
    pub fn name(&self) -> String {
        format!("ta{:03}", self.number)
    }

    /// Generates the instance.
    pub fn instance(&self) -> Instance {
        let mut random = Lehmer(self.seed);
        let mut times = vec![0; self.jobs * self.machines];
        for machine in 0..self.machines {
            for job in 0..self.jobs {
                times[job * self.machines + machine] = random.uniform(1, 99);
            }
        }
        Instance::new(self.jobs, self.machines, times)
            .expect("500 jobs of 99 on 20 machines are short")
    }
}

/// All 120 instances in ascending order of their numbers.
pub fn all() -> impl Iterator<Item = Known> {
    let lines = CLASSES
        .iter()
        .flat_map(|&(jobs, machines, lines)| lines.map(|line| (jobs, machines, line)));
    (1..).zip(lines).map(|(number, (jobs, machines, (seed, upper_bound, lower_bound)))| Known {
        number,
        jobs,
        machines,
        seed,
        upper_bound,
        lower_bound,
    })
}

impl Instance {
    /// A well-known instance: `ta001` to `ta120` of Taillard (1993), generated from its seed.
    /// `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        find(name).map(|known| known.instance())
    }
}

/// The instance with this name, from `ta001` to `ta120`.
pub fn find(name: &str) -> Option<Known> {
    all().find(|known| known.name() == name)
}

/// The generator of Bratley, Fox and Schrage, printed in Taillard's paper.
struct Lehmer(u32);

impl Lehmer {
    fn uniform(&mut self, low: u32, high: u32) -> u32 {
        const MODULUS: u64 = (1 << 31) - 1;
        self.0 = (u64::from(self.0) * 16807 % MODULUS) as u32;
        low + (u64::from(self.0) * u64::from(high - low + 1) / MODULUS) as u32
    }
}

/// Jobs, machines, and for each of ten instances the seed, the best known makespan and the best
/// known bound.
type Class = (usize, usize, [(u32, u32, u32); 10]);

const CLASSES: [Class; 12] = [
    (
        20,
        5,
        [
            (873654221, 1278, 1278),
            (379008056, 1359, 1359),
            (1866992158, 1081, 1081),
            (216771124, 1293, 1293),
            (495070989, 1235, 1235),
            (402959317, 1195, 1195),
            (1369363414, 1234, 1234),
            (2021925980, 1206, 1206),
            (573109518, 1230, 1230),
            (88325120, 1108, 1108),
        ],
    ),
    (
        20,
        10,
        [
            (587595453, 1582, 1582),
            (1401007982, 1659, 1659),
            (873136276, 1496, 1496),
            (268827376, 1377, 1377),
            (1634173168, 1419, 1419),
            (691823909, 1397, 1397),
            (73807235, 1484, 1484),
            (1273398721, 1538, 1538),
            (2065119309, 1593, 1593),
            (1672900551, 1591, 1591),
        ],
    ),
    (
        20,
        20,
        [
            (479340445, 2297, 2297),
            (268827376, 2099, 2099),
            (1958948863, 2326, 2326),
            (918272953, 2223, 2223),
            (555010963, 2291, 2291),
            (2010851491, 2226, 2226),
            (1519833303, 2273, 2273),
            (1748670931, 2200, 2200),
            (1923497586, 2237, 2237),
            (1829909967, 2178, 2178),
        ],
    ),
    (
        50,
        5,
        [
            (1328042058, 2724, 2724),
            (200382020, 2834, 2834),
            (496319842, 2621, 2621),
            (1203030903, 2751, 2751),
            (1730708564, 2863, 2863),
            (450926852, 2829, 2829),
            (1303135678, 2725, 2725),
            (1273398721, 2683, 2683),
            (587288402, 2552, 2552),
            (248421594, 2782, 2782),
        ],
    ),
    (
        50,
        10,
        [
            (1958948863, 2991, 2991),
            (575633267, 2867, 2867),
            (655816003, 2839, 2839),
            (1977864101, 3063, 3063),
            (93805469, 2976, 2976),
            (1803345551, 3006, 3006),
            (49612559, 3093, 3093),
            (1899802599, 3037, 3037),
            (2013025619, 2897, 2897),
            (578962478, 3065, 3065),
        ],
    ),
    (
        50,
        20,
        [
            (1539989115, 3846, 3771),
            (691823909, 3699, 3699),
            (655816003, 3640, 3640),
            (1315102446, 3719, 3635),
            (1949668355, 3610, 3553),
            (1923497586, 3679, 3679),
            (1805594913, 3704, 3704),
            (1861070898, 3691, 3691),
            (715643788, 3741, 3645),
            (464843328, 3755, 3696),
        ],
    ),
    (
        100,
        5,
        [
            (896678084, 5493, 5493),
            (1179439976, 5268, 5268),
            (1122278347, 5175, 5175),
            (416756875, 5014, 5014),
            (267829958, 5250, 5250),
            (1835213917, 5135, 5135),
            (1328833962, 5246, 5246),
            (1418570761, 5094, 5094),
            (161033112, 5448, 5448),
            (304212574, 5322, 5322),
        ],
    ),
    (
        100,
        10,
        [
            (1539989115, 5770, 5770),
            (655816003, 5349, 5349),
            (960914243, 5676, 5676),
            (1915696806, 5781, 5781),
            (2013025619, 5467, 5467),
            (1168140026, 5303, 5303),
            (1923497586, 5595, 5595),
            (167698528, 5617, 5617),
            (1528387973, 5871, 5871),
            (993794175, 5845, 5845),
        ],
    ),
    (
        100,
        20,
        [
            (450926852, 6134, 6134),
            (1462772409, 6183, 6183),
            (1021685265, 6252, 6252),
            (83696007, 6254, 6254),
            (508154254, 6270, 6270),
            (1861070898, 6311, 6311),
            (26482542, 6223, 6216),
            (444956424, 6367, 6316),
            (2115448041, 6246, 6232),
            (118254244, 6404, 6404),
        ],
    ),
    (
        200,
        10,
        [
            (471503978, 10862, 10862),
            (1215892992, 10480, 10480),
            (135346136, 10922, 10922),
            (1602504050, 10889, 10889),
            (160037322, 10524, 10524),
            (551454346, 10329, 10329),
            (519485142, 10854, 10854),
            (383947510, 10730, 10730),
            (1968171878, 10438, 10438),
            (540872513, 10675, 10675),
        ],
    ),
    (
        200,
        20,
        [
            (2013025619, 11158, 11158),
            (475051709, 11160, 11153),
            (914834335, 11281, 11281),
            (810642687, 11275, 11275),
            (1019331795, 11259, 11259),
            (2056065863, 11176, 11176),
            (1342855162, 11337, 11337),
            (1325809384, 11301, 11301),
            (1988803007, 11146, 11146),
            (765656702, 11284, 11284),
        ],
    ),
    (
        500,
        20,
        [
            (1368624604, 26040, 26040),
            (450181436, 26500, 26500),
            (1927888393, 26371, 26371),
            (1759567256, 26456, 26456),
            (606425239, 26334, 26334),
            (19268348, 26469, 26469),
            (1298201670, 26389, 26389),
            (2041736264, 26560, 26560),
            (379756761, 26005, 26005),
            (28837162, 26457, 26457),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_shop::bounds;

    #[test]
    fn first_rows_are_those_published() {
        let instance = Instance::named("ta001").unwrap();
        let first_machine: Vec<u32> = (0..10).map(|job| instance.job(job)[0]).collect();
        assert_eq!(first_machine, [54, 83, 15, 71, 77, 36, 53, 38, 27, 87]);
        let sizes =
            |name| Instance::named(name).map(|instance| (instance.jobs(), instance.machines()));
        assert_eq!(sizes("ta021"), Some((20, 20)));
        assert_eq!(sizes("ta120"), Some((500, 20)));
        assert_eq!(sizes("ta121"), None);
        assert_eq!(sizes("ta1"), None);
    }

    #[test]
    fn known_values_agree_with_the_instances() {
        let mut open = 0;
        for known in all() {
            open += usize::from(known.lower_bound < known.upper_bound);
            assert!(known.lower_bound <= known.upper_bound);
            // A wrong matrix would hardly have a bound this close below the optimum.
            let bound = bounds::one_machine(&known.instance());
            let name = known.name();
            assert!(
                bound <= known.lower_bound && bound * 4 > known.lower_bound * 3,
                "{name}: {bound}"
            );
        }
        assert_eq!(open, 9);
    }
}
